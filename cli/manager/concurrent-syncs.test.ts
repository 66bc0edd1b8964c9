import { describe, expect, it } from 'vitest';
import { createControllers, specimenSettings } from '../../controllers/index.ts';
import { concurrentSyncsFlags, withConcurrency } from './concurrent-syncs.ts';
import { parseFlags } from '../flags/flags.ts';

const controllers = createControllers(specimenSettings);

describe('concurrency flags', () => {
  it('exist for each controller with the default of its definition', () => {
    const defaults = parseFlags(concurrentSyncsFlags, []);
    expect(Object.keys(defaults)).toHaveLength(controllers.length);
    for (const definition of controllers)
      expect([definition.name, withConcurrency(definition, defaults).concurrency]).toEqual([
        definition.name,
        definition.concurrency ?? 5,
      ]);
  });

  it('have the names of release 1.24', () => {
    expect(Object.keys(concurrentSyncsFlags)).toEqual(
      expect.arrayContaining([
        'concurrent-gc-syncs',
        'concurrent-namespace-syncs',
        'concurrent-resource-quota-syncs',
        'concurrent-serviceaccount-token-syncs',
        'concurrent-ttl-after-finished-syncs',
      ]),
    );
  });

  it('set only the concurrency of their controller', () => {
    const flags = parseFlags(concurrentSyncsFlags, ['--concurrent-gc-syncs', '7']);
    const before = new Map(controllers.map(({ name, concurrency = 5 }) => [name, concurrency]));
    const set = controllers.map((definition) => withConcurrency(definition, flags));
    for (const { name, concurrency } of set)
      expect([name, concurrency]).toEqual([name, name === 'garbagecollector' ? 7 : before.get(name)]);
  });

  it.each(['0', '-1', 'many'])('reject the value %s', (given) => {
    expect(() => parseFlags(concurrentSyncsFlags, ['--concurrent-gc-syncs', given])).toThrow(
      '--concurrent-gc-syncs',
    );
  });
});

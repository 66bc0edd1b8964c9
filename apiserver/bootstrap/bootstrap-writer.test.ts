import { describe, expect, it } from 'vitest';
import { configMaps } from '../../api/groups/index.ts';
import { invalid } from '../../api/status/api-error.ts';
import { invalidField } from '../../api/status/field-errors.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { type Fixture, startFixture } from '../registry/registry.fixture.ts';
import type { Registry } from '../registry/registry.ts';
import { createBootstrapWriter } from './bootstrap-writer.ts';

const wanted: ConfigMap = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'shared', namespace: 'default' },
};
const refused = invalid({ group: '', kind: 'ConfigMap' }, 'shared', [
  invalidField('spec.clusterIPs', ['10.0.0.1'], 'provided IP is already allocated'),
]);

/** Returns a registry that runs `meanwhile` during each create, then rejects the create as invalid. */
function rejecting(fixture: Fixture, meanwhile: () => Promise<void>): Pick<Registry, 'of'> {
  return {
    of: (kind) =>
      new Proxy(fixture.registry.of(kind), {
        get: (registry, name) => {
          if (name === 'create')
            return async () => {
              await meanwhile();
              throw refused;
            };
          const value: unknown = Reflect.get(registry, name);
          return typeof value === 'function' ? value.bind(registry) : value;
        },
      }),
  };
}

describe('bootstrap writer', () => {
  it('keeps an object that another server created first, with the same address', async () => {
    const fixture = await startFixture();
    const other = createBootstrapWriter(fixture.registry, new AbortController().signal);
    const racing = rejecting(fixture, () => other.ensure(configMaps, wanted));
    await createBootstrapWriter(racing, new AbortController().signal).ensure(configMaps, wanted);
    const { object } = await fixture.of(configMaps).get('default', 'shared', '');
    expect(object.metadata?.name).toBe('shared');
    await fixture.registry.stop();
  });

  it('fails for an invalid object that does not exist', async () => {
    const fixture = await startFixture();
    const writer = createBootstrapWriter(
      rejecting(fixture, async () => {}),
      new AbortController().signal,
    );
    await expect(writer.ensure(configMaps, wanted)).rejects.toBe(refused);
    await fixture.registry.stop();
  });
});

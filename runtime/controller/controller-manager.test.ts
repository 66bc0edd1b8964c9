import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { settled, unprovided, type ReconcileInput } from '../../machines/reconcile/reconcile.ts';
import { createHandFedInformers } from '../../test/hand-fed-informers.ts';
import type { Client } from '../client/client.ts';
import { noEvents } from '../events/recorder.ts';
import { createMemoryQueues } from '../queue/memory-queue.ts';
import { createControllerManager, type ControllerManagerOptions } from './controller-manager.ts';
import { defineController } from './define.ts';
import { watch } from './watch.ts';
import { selectControllers } from './selection.ts';

const widgets = { kind: 'Widget', plural: 'widgets', group: '', version: 'v1' } as Kind<ApiObject>;

const define = (name: string, work: () => void = () => {}, offByDefault = false) =>
  defineController({
    name,
    offByDefault,
    machine: setup({
      types: { input: {} as ReconcileInput },
      actors: { work: unprovided('work') },
    }).createMachine({
      id: name,
      initial: 'working',
      output: settled(),
      states: {
        working: { invoke: { id: 'work', src: 'work', onDone: 'done', onError: 'done' } },
        done: { type: 'final' },
      },
    }),
    watches: () => [watch(widgets)],
    effects: () => ({ work: async () => work() }),
  });

describe('selectControllers', () => {
  const known = [define('foo'), define('bar'), define('optional', undefined, true)];
  it.each([
    [undefined, ['foo', 'bar']],
    [['*'], ['foo', 'bar']],
    [['*', '-foo'], ['bar']],
    [['-foo', '*'], ['bar']],
    [
      ['*', 'optional'],
      ['foo', 'bar', 'optional'],
    ],
    [['foo'], ['foo']],
    [['-foo'], []],
    [[], []],
    [['foo', '-foo'], ['foo']],
    [['-foo', 'foo'], []],
  ])('resolves the selection %j to the controllers %j', (selection, chosen) => {
    expect(selectControllers(known, selection).map(({ name }) => name)).toEqual(chosen);
  });

  it('rejects unknown names and lists the known names', () => {
    expect(() => selectControllers(known, ['*', 'baz', '-qux'])).toThrow(
      `unknown controllers: "baz", "-qux"; expected '*' or one of bar, foo, optional`,
    );
  });
});

function manager(options: Partial<ControllerManagerOptions> = {}) {
  const clock = createSimulatedClock();
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const fed = createHandFedInformers();
  const made = createControllerManager({
    controllers: [define('foo')],
    client: {} as Client,
    scheme: createScheme(orchVocabulary, []),
    informers: fed.informers,
    queues: createMemoryQueues(environment),
    events: noEvents,
    environment,
    ...options,
  });
  return { clock, fed, made };
}

describe('controller manager', () => {
  it('is unhealthy and gives reasons until every cache is filled, and after the stop', async () => {
    const { fed, made, clock } = manager();
    expect(made.healthy()).toEqual({ healthy: false, reasons: ['foo: not running'] });
    const start = made.start();
    await clock.advance(0);
    expect(made.healthy().reasons).toEqual(['foo: cache of widgets is not filled']);
    fed.fill();
    await start;
    expect(made.healthy()).toEqual({ healthy: true, reasons: [] });
    await made.stop();
    expect(made.healthy().healthy).toBe(false);
  });

  it('starts dependencies before the controllers and stops them last', async () => {
    const order: string[] = [];
    const before = {
      name: 'informers',
      start: async () => void order.push('informers start'),
      stop: async () => void order.push('informers stop'),
    };
    const { fed, made, clock } = manager({
      before: [before],
      controllers: [define('foo', () => void order.push('pass'))],
    });
    fed.fill();
    fed.apply(widgets, { metadata: { name: 'a' } });
    await made.start();
    await clock.advance(0);
    await made.stop();
    expect(order).toEqual(['informers start', 'pass', 'informers stop']);
  });

  it('exposes the state, journal and metrics of its controllers', async () => {
    const { fed, made, clock } = manager();
    fed.fill();
    fed.apply(widgets, { metadata: { name: 'a' } });
    await made.start();
    await clock.advance(0);
    expect(made.state()).toMatchObject([
      { name: 'foo', problems: [], queue: { added: 1, ready: 0, delayed: 0, active: 0, oldestMs: 0 } },
    ]);
    expect(made.journal.read({ controller: 'foo' }).at(-1)).toMatchObject({ outcome: 'settled' });
    expect((await made.metrics()).text).toContain(
      'controller_reconciles_total{controller="foo",outcome="settled"} 1',
    );
    expect(() => made.enqueue('bar', 'a')).toThrow('controller "bar" is not running; expected one of foo');
    await made.stop();
  });

  it('stops the parts it has started if a controller fails to start', async () => {
    let stopped = false;
    const { made } = manager({
      before: [{ name: 'informers', start: async () => {}, stop: async () => void (stopped = true) }],
      controllers: [{ ...define('foo'), effects: () => ({}) }],
    });
    await expect(made.start()).rejects.toThrow('controller foo has no effect for work');
    expect(stopped).toBe(true);
  });
});

import { setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger, type LogFields, type Logger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import {
  EFFECT_TIMEOUT_MS,
  errorText,
  failed,
  reconcileDelays,
  unprovided,
  type ReconcileInput,
  type ReconcileOutput,
} from '../../machines/reconcile/reconcile.ts';
import type { Client } from '../client/client.ts';
import { noEvents } from '../events/recorder.ts';
import { createHandFedInformers } from '../../test/hand-fed-informers.ts';
import { createJournal } from '../journal/memory-journal.ts';
import { createMemoryQueues } from '../queue/memory-queue.ts';
import type { ControllerDefinition } from './controller.ts';
import { defineController } from './define.ts';
import { watch } from './watch.ts';
import { createControllerMetrics } from './metrics.ts';
import { createController } from './run-controller.ts';

interface Widget extends ApiObject {
  spec?: { owner?: string };
}

const widgets = { kind: 'Widget', plural: 'widgets', group: '', version: 'v1' } as Kind<Widget>;

const widget = (name: string, owner?: string): Widget => ({
  metadata: { namespace: 'default', name },
  ...(owner === undefined ? {} : { spec: { owner } }),
});

const machine = setup({
  types: {
    input: {} as ReconcileInput,
    context: {} as ReconcileInput & { output: ReconcileOutput },
    output: {} as ReconcileOutput,
  },
  actors: { work: unprovided<ReconcileOutput, { readonly key: string; readonly retries: number }>('work') },
  delays: reconcileDelays,
}).createMachine({
  id: 'widget',
  context: ({ input }) => ({ ...input, output: failed('not decided') }),
  output: ({ context }) => context.output,
  initial: 'working',
  states: {
    working: {
      invoke: {
        id: 'work',
        src: 'work',
        input: ({ context: { key, retries } }) => ({ key, retries }),
        onDone: {
          target: 'decided',
          actions: ({ context, event }) => Object.assign(context, { output: event.output }),
        },
        onError: {
          target: 'failed',
          actions: ({ context, event }) => Object.assign(context, { output: failed(errorText(event)) }),
        },
      },
      after: {
        effectTimeout: {
          target: 'failed',
          actions: ({ context, event }) => Object.assign(context, { output: failed(errorText(event)) }),
        },
      },
    },
    decided: { type: 'final' },
    failed: { type: 'final' },
  },
});

type Work = (
  input: { readonly key: string; readonly retries: number },
  signal: AbortSignal,
) => Promise<unknown>;

function capturingLogger() {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const at = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, message, fields });
  const log: Logger = {
    ...silentLogger,
    error: at('error'),
    warn: at('warn'),
    info: at('info'),
    debug: at('debug'),
    child: () => log,
    debugEnabled: true,
  };
  return { log, reconciles: () => lines.filter((line) => line.message === 'reconcile finished') };
}

function world(work: Work, overrides: Partial<ControllerDefinition> = {}) {
  const clock = createSimulatedClock();
  const random = createSeededRandom(1);
  const { log, reconciles } = capturingLogger();
  const fed = createHandFedInformers();
  const cache = {
    fill: () => fed.fill(),
    apply: (object: Widget) => fed.apply(widgets, object),
    remove: (object: Widget) => fed.remove(widgets, object),
  };
  const journal = createJournal({ clock });
  const metrics = createControllerMetrics();
  const definition = defineController({
    name: 'widget',
    machine,
    watches: () => [watch(widgets)],
    effects: () => ({ work }),
    resyncMs: 0,
    ...overrides,
  });
  const controller = createController(definition, {
    clock,
    random,
    log,
    client: {} as Client,
    scheme: createScheme(orchVocabulary, []),
    informers: fed.informers,
    queues: createMemoryQueues({ clock, random, log }),
    events: noEvents,
    journal,
    metrics,
  });
  return { clock, cache, controller, journal, metrics, reconciles };
}

const started = async (work: Work, overrides: Partial<ControllerDefinition> = {}) => {
  const made = world(work, overrides);
  const start = made.controller.start();
  made.cache.fill();
  await start;
  return made;
};

describe('controller', () => {
  it('runs no reconcile before its caches are filled', async () => {
    const keys: string[] = [];
    const made = world(async ({ key }) => {
      keys.push(key);
      return { outcome: 'settled' };
    });
    const start = made.controller.start();
    made.cache.apply(widget('a'));
    await made.clock.advance(60_000);
    expect(keys).toEqual([]);
    expect(made.controller.problems()).toEqual(['widget: cache of widgets is not filled']);
    made.cache.fill();
    await start;
    await made.clock.advance(0);
    expect(keys).toEqual(['default/a']);
    expect(made.controller.problems()).toEqual([]);
  });

  it('reconciles the keys mapped from new, changed and deleted objects', async () => {
    const keys: string[] = [];
    const made = await started(
      async ({ key }) => {
        keys.push(key);
        return { outcome: 'settled' };
      },
      { watches: () => [watch(widgets, { keys: (object) => [object.spec?.owner ?? 'none'] })] },
    );
    made.cache.apply(widget('a', 'x'));
    await made.clock.advance(0);
    made.cache.apply(widget('a', 'y'));
    await made.clock.advance(0);
    made.cache.remove(widget('a', 'z'));
    await made.clock.advance(0);
    expect(keys).toEqual(['x', 'y', 'z']);
  });

  it('reconciles a requeued key after exactly the requested delay', async () => {
    const at: number[] = [];
    const made = await started(async () => {
      at.push(made.clock.monotonic());
      return { outcome: 'requeue', afterMs: 90_000, reason: 'not due' };
    });
    made.cache.apply(widget('a'));
    await made.clock.advance(200_000);
    expect(at).toEqual([0, 90_000, 180_000]);
    expect(made.reconciles()[0]).toMatchObject({
      level: 'debug',
      fields: { reason: 'not due', afterMs: 90_000 },
    });
  });

  it('retries a failed key with growing delays, warns, and resets the delay after a success', async () => {
    const seen: number[] = [];
    const made = await started(async ({ retries }) => {
      seen.push(retries);
      if (retries < 7) throw new Error('server says no');
      return { outcome: 'settled' };
    });
    made.cache.apply(widget('a'));
    await made.clock.advance(10_000);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const levels = made.reconciles().map(({ level }) => level);
    expect(levels).toEqual(['info', 'info', 'info', 'info', 'info', 'warn', 'warn', 'debug']);
    expect(made.reconciles()[0]?.fields).toMatchObject({ outcome: 'failed', err: 'server says no' });
    made.cache.apply(widget('a'));
    await made.clock.advance(0);
    expect(seen.at(-1)).toBe(0);
  });

  it('aborts an effect at its time limit and names the state in the error', async () => {
    let aborted = false;
    const made = await started(
      (_input, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (aborted = true));
        }),
    );
    made.cache.apply(widget('a'));
    await made.clock.advance(EFFECT_TIMEOUT_MS);
    expect(aborted).toBe(true);
    expect(made.reconciles()[0]?.fields).toMatchObject({
      outcome: 'failed',
      err: 'timed out in state working',
    });
  });

  it('fails a reconcile that exceeds its time limit', async () => {
    const made = await started(() => new Promise(() => {}), { reconcileTimeoutMs: 1_000 });
    made.cache.apply(widget('a'));
    await made.clock.advance(1_000);
    expect(made.reconciles()[0]?.fields).toMatchObject({
      outcome: 'failed',
      code: 'ERR_RECONCILE_TIMEOUT',
      err: 'reconcile took longer than 1000 ms in state working',
    });
  });

  it.each([
    undefined,
    null,
    'settled',
    {},
    { outcome: 'done' },
    { outcome: 'requeue', afterMs: Number.NaN, reason: '' },
  ])('fails a reconcile whose machine returns the invalid output %j', async (output) => {
    const made = await started(async () => output);
    made.cache.apply(widget('a'));
    await made.clock.advance(0);
    expect(made.reconciles()[0]?.fields).toMatchObject({ outcome: 'failed', code: 'ERR_RECONCILE_OUTPUT' });
  });

  it('survives an effect that rejects without an error exit in the machine', async () => {
    const bare = setup({ actors: { work: unprovided('work') } }).createMachine({
      id: 'widget',
      initial: 'working',
      states: { working: { invoke: { id: 'work', src: 'work' } } },
    });
    const made = await started(() => Promise.reject(new Error('unforeseen')), { machine: bare });
    made.cache.apply(widget('a'));
    await made.clock.advance(0);
    expect(made.reconciles()[0]?.fields).toMatchObject({ code: 'ERR_RECONCILE_ACTOR', err: 'unforeseen' });
  });

  it('journals each state, effect and outcome and logs one line per reconcile', async () => {
    const made = await started(async () => ({ outcome: 'settled' }));
    made.cache.apply(widget('a'));
    await made.clock.advance(0);
    expect(made.reconciles()).toHaveLength(1);
    expect(
      made.journal.read({ key: 'default/a' }).map(({ kind, state }) => (state ? `${kind} ${state}` : kind)),
    ).toEqual([
      'enqueued',
      'reconcile.started',
      'effect.started work',
      'state working',
      'effect.done work',
      'state decided',
      'reconcile.finished',
    ]);
  });

  it("counts reconciles by outcome and reports the queue's depth", async () => {
    const made = await started(async () => ({ outcome: 'settled' }));
    expect((await made.metrics.expose()).text).toContain(
      'workqueue_work_duration_seconds_count{name="widget"} 0',
    );
    made.cache.apply(widget('a'));
    made.cache.apply(widget('b'));
    await made.clock.advance(0);
    const { text } = await made.metrics.expose();
    expect(text).toContain('controller_reconciles_total{controller="widget",outcome="settled"} 2');
    expect(text).toContain('controller_reconciles_total{controller="widget",outcome="failed"} 0');
    expect(text).toContain('workqueue_depth{name="widget"} 0');
    expect(text).toContain('workqueue_adds_total{name="widget"} 2');
    expect(text).toContain('workqueue_retries_total{name="widget"} 0');
    expect(text).toContain('workqueue_unfinished_work_seconds{name="widget"} 0');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="widget",le="1e-08"} 2');
    expect(text).toContain('workqueue_work_duration_seconds_bucket{name="widget",le="10"} 2');
  });

  it("exposes the controller's own series of its last start only", async () => {
    const metrics = createControllerMetrics();
    for (const by of [2, 3])
      metrics.ownOf('widget').counter('widgets_total', 'Widgets made.', ['size']).at('s').add(by);
    metrics.ownOf('gadget').gauge('gadgets', 'Gadgets.').at().set(1);
    const { text } = await metrics.expose();
    expect(text).toContain('# TYPE widgets_total counter\nwidgets_total{size="s"} 3\n\n# HELP gadgets');
    expect(text.match(/^widgets_total/gm)).toHaveLength(1);
  });

  it('reports the duration of unfinished reconciles', async () => {
    const made = await started(() => new Promise(() => {}), { concurrency: 2 });
    made.cache.apply(widget('a'));
    await made.clock.advance(3_000);
    made.cache.apply(widget('b'));
    await made.clock.advance(2_000);
    const { text } = await made.metrics.expose();
    expect(text).toContain('workqueue_unfinished_work_seconds{name="widget"} 7');
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="widget"} 5');
  });

  it('enqueues all keys after the resync period plus or minus a tenth', async () => {
    const keys: string[] = [];
    const made = await started(
      async ({ key }) => {
        keys.push(key);
        return { outcome: 'settled' };
      },
      { resyncMs: 1_000_000 },
    );
    made.cache.apply(widget('a'));
    made.cache.apply(widget('b'));
    await made.clock.advance(899_999);
    expect(keys).toHaveLength(2);
    await made.clock.advance(200_001);
    expect(keys).toEqual(['default/a', 'default/b', 'default/a', 'default/b']);
  });

  it('fails to start if the machine and the effects have different actors', async () => {
    const made = world(async () => undefined, { effects: () => ({ wrok: async () => undefined }) });
    await expect(made.controller.start()).rejects.toMatchObject({
      code: 'ERR_CONTROLLER_EFFECTS',
      message:
        'controller widget has no effect for work and has effects that its machine does not name: wrok',
    });
  });

  it('ends a start that waits for caches when it is stopped', async () => {
    const made = world(async () => undefined);
    const start = made.controller.start();
    await made.controller.stop();
    await start;
    expect(made.controller.problems()).not.toEqual([]);
  });

  it('waits for running reconciles and takes no further keys when it is stopped', async () => {
    let finish: (output: ReconcileOutput) => void = () => {};
    let reconciles = 0;
    const made = await started(() => {
      reconciles++;
      return new Promise((resolve) => (finish = resolve));
    });
    made.cache.apply(widget('a'));
    await made.clock.advance(0);
    let stopped = false;
    const stop = made.controller.stop().then(() => (stopped = true));
    made.cache.apply(widget('b'));
    await made.clock.advance(100);
    expect(stopped).toBe(false);
    finish({ outcome: 'settled' });
    await stop;
    expect(reconciles).toBe(1);
    // The event is recorded once, even if the controller is stopped twice: the chaos checker ends the
    // controller's obligations there.
    await made.controller.stop();
    const kinds = made.journal.read({ limit: 100 }).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'stopped')).toHaveLength(1);
    expect(kinds.at(-1)).toBe('stopped');
  });
});

describe('defineController', () => {
  const definition = { name: 'widget', machine, watches: () => [], effects: () => ({}) };

  it('rejects an invalid name and a machine with another id', () => {
    expect(() => defineController({ ...definition, name: 'Widget.Controller' })).toThrow(
      'is invalid: expected at most 63',
    );
    expect(() => defineController({ ...definition, name: 'other' })).toThrow(
      "expected the controller's name",
    );
  });

  it('rejects a concurrency of 0', () => {
    expect(() => defineController({ ...definition, concurrency: 0 })).toThrow('expected a number above 0');
  });
});

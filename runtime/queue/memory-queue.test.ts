import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createMemoryQueues } from './memory-queue.ts';
import { workQueueConformance } from './work-queue.conformance.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('createMemoryQueues', () => {
  workQueueConformance(async () => {
    const clock = createSimulatedClock();
    const queues = createMemoryQueues({ clock, random: createSeededRandom(1), log: silentLogger });
    const until = async (done: () => boolean): Promise<void> => {
      for (let i = 0; i < 10_000 && !done(); i++) await clock.advance(10);
      if (!done()) throw new Error('the awaited state was not reached');
    };
    return {
      create: (options) => queues.create('test', options),
      wait: (ms) => clock.advance(ms),
      until,
      nowMs: () => clock.monotonic(),
      slackMs: 1,
      unitMs: 100,
      manyKeys: 10_000,
      async close() {
        let closed = false;
        void queues.close().then(() => (closed = true));
        await until(() => closed);
      },
    };
  });

  it('arms one timer for all delayed keys and no timer without delayed keys', async () => {
    const clock = createSimulatedClock();
    const queue = createMemoryQueues({ clock, random: createSeededRandom(1), log: silentLogger }).create(
      'test',
    );
    for (let i = 0; i < 1_000; i++) queue.addAfter(`key-${i}`, 1_000 - (i % 100));
    expect(clock.pending).toBe(1);
    expect(queue.stats().delayed).toBe(1_000);
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
    expect(queue.stats()).toMatchObject({ ready: 1_000, delayed: 0 });
  });

  it('runs timers between reconciles of keys that requeue each other', async () => {
    const clock = createSimulatedClock();
    const queue = createMemoryQueues({ clock, random: createSeededRandom(1), log: silentLogger }).create(
      'test',
    );
    let reconciles = 0;
    let seen: number | undefined;
    await queue.run(async (key) => {
      reconciles += 1;
      if (reconciles < 5_000) queue.add(key === 'a' ? 'b' : 'a');
    });
    clock.setTimeout(() => (seen = reconciles), 0);
    queue.add('a');
    await clock.advance(0);
    expect(seen).toBeLessThan(1_000);
    await clock.advance(1);
    expect(reconciles).toBe(5_000);
  });

  it('honours a delay of a hundred days to the millisecond', async () => {
    const clock = createSimulatedClock();
    const queue = createMemoryQueues({ clock, random: createSeededRandom(1), log: silentLogger }).create(
      'test',
    );
    const at: number[] = [];
    await queue.run(async () => void at.push(clock.monotonic()));
    const delayMs = 100 * 86_400_000 + 7;
    queue.addAfter('a', delayMs);
    await clock.advance(delayMs - 1);
    expect(at).toEqual([]);
    await clock.advance(1);
    expect(at).toEqual([delayMs]);
  });

  it('reports the waiting time of each key and the age of the oldest key', async () => {
    const clock = createSimulatedClock();
    const queue = createMemoryQueues({ clock, random: createSeededRandom(1), log: silentLogger }).create(
      'test',
    );
    queue.add('a');
    await clock.advance(250);
    expect(queue.stats().oldestMs).toBe(250);
    const waited: number[] = [];
    await queue.run(async (_key, { waitedMs }) => void waited.push(waitedMs));
    await turn();
    expect(waited).toEqual([250]);
    expect(queue.stats().oldestMs).toBe(0);
  });

  type Step =
    | { readonly do: 'add'; readonly key: string }
    | { readonly do: 'addAfter'; readonly key: string; readonly ms: number }
    | { readonly do: 'finish'; readonly key: string }
    | { readonly do: 'wait'; readonly ms: number };
  const key = fc.constantFrom('a', 'b', 'c');
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constant('add' as const), key }),
    fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ do: fc.constant('finish' as const), key }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 30 }) }),
  );

  it("behaves like a model of client-go's queue for any sequence of calls", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, concurrency) => {
          const clock = createSimulatedClock(0, turn);
          const queue = createMemoryQueues({
            clock,
            random: createSeededRandom(1),
            log: silentLogger,
          }).create('test', {
            concurrency,
          });
          const gates = new Map<string, () => void>();
          const actual: string[] = [];
          await queue.run((name) => {
            if (gates.has(name)) throw new Error(`${name} runs twice at a time`);
            actual.push(name);
            return new Promise((resolve) => gates.set(name, resolve));
          });
          const model = createModel(concurrency);
          for (const each of steps) {
            if (each.do === 'add') {
              queue.add(each.key);
              model.add(each.key);
            } else if (each.do === 'addAfter') {
              queue.addAfter(each.key, each.ms);
              model.addAfter(each.key, each.ms);
            } else if (each.do === 'finish') {
              const gate = gates.get(each.key);
              gates.delete(each.key);
              gate?.();
              model.finish(each.key);
            } else {
              await clock.advance(each.ms);
              model.wait(each.ms);
            }
            await turn();
            expect(actual).toEqual(model.started);
            expect(queue.stats()).toMatchObject(model.stats());
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Model of client-go's queue: a list, two sets and a table of due times, in steps of one millisecond. */
function createModel(concurrency: number) {
  const dirty = new Set<string>();
  const processing = new Set<string>();
  const due = new Map<string, { atMs: number; order: number }>();
  const started: string[] = [];
  let waiting: string[] = [];
  let nowMs = 0;
  let order = 0;
  const pump = (): void => {
    while (processing.size < concurrency && waiting.length > 0) {
      const [next = '', ...rest] = waiting;
      waiting = rest;
      dirty.delete(next);
      processing.add(next);
      started.push(next);
    }
  };
  const add = (key: string): void => {
    if (dirty.has(key)) return;
    dirty.add(key);
    if (!processing.has(key)) waiting.push(key);
    pump();
  };
  return {
    started,
    add,
    addAfter(key: string, ms: number) {
      const known = due.get(key);
      if (known === undefined || nowMs + ms < known.atMs) due.set(key, { atMs: nowMs + ms, order: order++ });
    },
    finish(key: string) {
      if (!processing.delete(key)) return;
      if (dirty.has(key)) waiting.push(key);
      pump();
    },
    wait(ms: number) {
      const untilMs = nowMs + ms;
      const reached = [...due]
        .filter(([, { atMs }]) => atMs <= untilMs)
        .sort(([, a], [, b]) => a.atMs - b.atMs || a.order - b.order);
      for (const [key] of reached) {
        due.delete(key);
        add(key);
      }
      nowMs = untilMs;
    },
    stats: () => ({ ready: dirty.size, delayed: due.size, active: processing.size }),
  };
}

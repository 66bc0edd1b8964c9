import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createMemoryQueues } from '../../runtime/queue/memory-queue.ts';
import { EMPTY, type Queue, done, taking, withDue } from './queue.ts';
import { add } from './reconcile-model.ts';
import type { Process } from './world.ts';

type Step =
  | { readonly type: 'add' | 'finish'; readonly key: string }
  | { readonly type: 'later' | 'wait'; readonly key: string; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c');
const ms = fc.constantFrom(6_000, 10_000, 30_000, 90_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom('add', 'finish'), key }),
  fc.record({ type: fc.constantFrom('later', 'wait'), key, ms }),
);

/** The model of a queue and its workers, driven by what the real queue does. */
function createModel() {
  let queue: Queue = EMPTY;
  let active: readonly string[] = [];
  const added = (each: string): void => {
    // `add` reads only the keys of the reconciles.
    const reconciles = active.map((taken) => ({ key: taken })) as unknown as Process['reconciles'];
    queue = add({ queue, reconciles, memory: null, views: [] }, each).queue;
  };
  return {
    add: added,
    addAfter: (each: string, atMs: number) => void (queue = withDue(queue, each, atMs)),
    /** Fires the timers that are due by a time. */
    ripen(nowMs: number) {
      const due = Object.keys(queue.due).filter((each) => (queue.due[each] ?? 0) <= nowMs);
      const left = Object.entries(queue.due).filter(([each]) => !due.includes(each));
      queue = { ...queue, due: Object.fromEntries(left) };
      for (const each of due) added(each);
    },
    /** Takes a key for a worker; returns false if the model would not. */
    take(each: string): boolean {
      const isReady = queue.ready.includes(each) && !active.includes(each);
      queue = taking(queue, each);
      active = [...active, each];
      return isReady;
    },
    finish(each: string) {
      const isAgain = queue.again.includes(each);
      queue = done(queue, each);
      active = active.filter((taken) => taken !== each);
      if (isAgain) added(each);
    },
    /** Number of keys that a free worker may take. */
    takeable: () => queue.ready.length,
    stats: () => ({
      ready: queue.ready.length + queue.again.length,
      delayed: Object.keys(queue.due).length,
      active: active.length,
    }),
  };
}

/** Runs the steps on the real queue and the model; compares every taken key and the counts after each step. */
async function compare(steps: readonly Step[], concurrency: number): Promise<void> {
  const clock = createSimulatedClock();
  const queues = createMemoryQueues({ clock, random: createSeededRandom(1), log: silentLogger });
  const queue = queues.create('test', { concurrency });
  const model = createModel();
  const running = new Map<string, () => void>();
  const surprises: string[] = [];
  await queue.run((taken) => {
    model.ripen(clock.monotonic());
    if (!model.take(taken)) surprises.push(`took ${taken} at ${clock.monotonic()}`);
    return new Promise((resolve) => running.set(taken, resolve));
  });
  for (const each of steps) {
    if (each.type === 'add') {
      queue.add(each.key);
      model.add(each.key);
    } else if (each.type === 'later') {
      queue.addAfter(each.key, each.ms);
      model.addAfter(each.key, clock.monotonic() + each.ms);
    } else if (each.type === 'finish' && running.has(each.key)) {
      model.finish(each.key);
      running.get(each.key)?.();
      running.delete(each.key);
    }
    await clock.advance(each.type === 'wait' ? each.ms : 0);
    model.ripen(clock.monotonic());
    const { ready, delayed, active } = queue.stats();
    expect({ ready, delayed, active, surprises }).toEqual({ ...model.stats(), surprises: [] });
    expect(active < concurrency && model.takeable() > 0, 'a free worker leaves a key').toBe(false);
  }
  for (const end of running.values()) end();
}

describe('the model of a work queue', () => {
  it.each([1, 2])('has the keys of the real queue after random calls with %i workers', async (workers) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), (steps) => compare(steps, workers)),
      { numRuns: 150, seed: 5 },
    );
  });
});

import type { ApiAnswer } from './api-request.ts';
import { type Noted, createCaches, noView } from './caches.ts';
import { aged } from './elapsed.ts';
import { createByTime, createMemo } from './memo.ts';
import type { ModelStore } from './model-store.ts';
import { add, createReconciles } from './reconcile-model.ts';
import { DOWN, EMPTY, emptied, taking } from './queue.ts';
import { type Changed, leave, relist } from './views.ts';
import { type OpenRequest, type Process, withMemory, withQueue } from './world.ts';
import type { ProcessModelOptions } from './process-options.ts';

/**
 * Transitions of one controller process. Each returns the new process. All are pure except for the effect
 * table.
 */
export interface ProcessModel {
  /** Returns a new process whose caches equal the store. */
  started(store: ModelStore, nowMs: number): Process;
  /** Returns a new process whose caches equal those of the predecessor and whose watches are silent. */
  startedBehind(predecessor: Process, nowMs: number): Process;
  /**
   * Returns the process after a crash. Only its cache contents remain, for a successor that starts with stale
   * state.
   */
  crashed(process: Process): Process;
  /** A crashed process without cache contents, for which no successor can start with stale state. */
  readonly buried: Process;
  add(process: Process, key: string): Process;
  /** Starts a reconcile of a key and runs it until it needs a response. */
  take(process: Process, key: string, nowMs: number): Process;
  answer(process: Process, at: number, open: OpenRequest, answer: ApiAnswer, nowMs: number): Process;
  /** Continues the reconcile at `at` as if its current effect had timed out. */
  giveUp(process: Process, at: number, nowMs: number): Process;
  withView(process: Process, informer: number, changed: Changed, nowMs: number): Process;
  /** Re-lists one informer. */
  relisted(process: Process, informer: number, store: ModelStore, nowMs: number): Process;
  /** Ages the controller's memory by `ms` milliseconds. */
  older(process: Process, ms: number): Process;
  /** Fires the timers of keys. */
  awoken(process: Process, keys: readonly string[]): Process;
  /** Empties the queue. */
  flushed(process: Process): Process;
  /** Enqueues every known key. */
  resynced(process: Process, nowMs: number): Process;
  /** Advances the clock to `nowMs`. Fires timers that are due and, if its period has passed, the resync. */
  ripened(process: Process, nowMs: number, passedMs: number): Process;
  /** Returns the result of a transition and the caches that the transition read. */
  noting(become: () => Process): Noted;
}

export function createProcessModel(options: ProcessModelOptions): ProcessModel {
  const { model } = options;
  const { machine, followed } = model;
  const caches = createCaches(options);
  const { reader, relisted, noting, withView } = caches;
  const { enter, carryOn } = createReconciles(options, reader);
  const ages = createMemo<object, unknown>();
  const empty: Process = {
    queue: EMPTY,
    reconciles: [],
    memory: model.memory.save(),
    views: followed.map(() => noView),
  };
  const ripe = createByTime(() => createMemo<Process, Process>());

  const older = (process: Process, ms: number): Process => {
    const { memory } = process;
    if (typeof memory !== 'object' || memory === null) return process;
    const later = ages(memory, ms, () => aged(memory, ms));
    return later === memory ? process : withMemory(process, later);
  };
  const awoken = (process: Process, keys: readonly string[]): Process => {
    const due = Object.entries(process.queue.due).filter(([key]) => !keys.includes(key));
    return keys.reduce(add, withQueue(process, { ...process.queue, due: Object.fromEntries(due) }));
  };
  const resynced = (process: Process, nowMs: number): Process => {
    const { flushed: _, ...queue } = process.queue;
    return process.views.reduce<Process>(
      (next, view, informer) => {
        const heard = Object.values(view.objects).map(
          (object) => ({ type: 'apply', object, previous: undefined }) as const,
        );
        // A resync only enqueues keys. Subscribed handlers are not notified.
        return caches.bringUp(next, informer, { view, heard }, nowMs);
      },
      withQueue(process, queue),
    );
  };

  return {
    started: (store, nowMs) =>
      followed.reduce<Process>((process, _, informer) => relisted(process, informer, store, nowMs), empty),
    startedBehind: (predecessor, nowMs) =>
      predecessor.views.reduce<Process>((process, old, informer) => {
        const { view, heard } = relist(noView, Object.values(old.objects));
        return withView(process, informer, { view: { ...view, stalled: true }, heard }, nowMs);
      }, empty),
    buried: { ...empty, queue: DOWN, views: [] },
    crashed: ({ views }) => ({ ...empty, queue: DOWN, views: views.map(leave) }),
    add,
    take(process, key, nowMs) {
      const taken = withQueue(process, taking(process.queue, key));
      return enter(taken, process.reconciles.length, key, machine.start(key), nowMs);
    },
    answer(process, at, { to }, answer, nowMs) {
      const reconcile = process.reconciles[at];
      return reconcile ? carryOn(process, at, reconcile, { to, answer }, nowMs) : process;
    },
    giveUp(process, at, nowMs) {
      const reconcile = process.reconciles[at];
      return reconcile
        ? enter(process, at, reconcile.key, machine.next(reconcile.machine, 'timeout'), nowMs)
        : process;
    },
    withView,
    relisted,
    noting,
    older,
    awoken,
    flushed: (process) => withQueue(process, emptied(process.queue)),
    resynced,
    ripened: (process, nowMs, passedMs) =>
      ripe(nowMs)(process, passedMs, () => {
        const { due, up } = process.queue;
        const keys = Object.keys(due).filter((key) => (due[key] ?? 0) <= nowMs);
        const aged = older(process, passedMs);
        const woken = keys.length === 0 ? aged : awoken(aged, keys);
        const isDue = model.resyncMs > 0 && model.resyncMs <= passedMs && up;
        return isDue ? resynced(woken, nowMs) : woken;
      }),
  };
}

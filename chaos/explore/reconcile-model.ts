import type { ApiAnswer } from './api-request.ts';
import type { Reader } from './effect-table.ts';
import type { MachineState } from './machine-table.ts';
import { createMemo } from './memo.ts';
import type { ProcessModelOptions } from './process-options.ts';
import { PATIENCE_MS, done, withDue, withKey } from './queue.ts';
import type { View } from './views.ts';
import { type Reconcile, type Process, withMemory, withReconciles, withQueue } from './world.ts';

/** Default of `soonMs`: the model's clock is coarser. */
const SOON_MS = 5_000;

/** Creates the operations that run reconciliations from one request to the next. */
export function createReconciles(
  { model: { machine }, effects, lastMs, soonMs = SOON_MS }: ProcessModelOptions,
  reader: (views: readonly View[], nowMs: number) => Reader,
) {
  const begun = createMemo<MachineState, Reconcile>();
  /** Reconciles after an effect segment, by segment. The response is part of the segment. */
  const continued = createMemo<Reconcile, Reconcile>();

  const addAfter = (process: Process, key: string, afterMs: number, nowMs: number): Process => {
    if (afterMs <= soonMs) return add(process, key);
    const { queue } = process;
    const dueMs = Math.min(queue.due[key] ?? Infinity, nowMs + afterMs);
    // A key that is due long after the last instant of the scenario is never enqueued.
    return dueMs > lastMs + PATIENCE_MS ? process : withQueue(process, withDue(queue, key, dueMs));
  };

  /** Enters a machine state: finishes the reconcile, or starts the effect that the state invokes. */
  const enter = (process: Process, at: number, key: string, state: MachineState, nowMs: number): Process => {
    if (state.output) return finish(process, at, key, state.output, nowMs);
    const { effect = '', input } = state.invoke ?? {};
    const reconcile = begun(state, key, () => ({
      key,
      machine: state,
      run: { effect, input, log: [] },
      asked: 0,
      open: [],
    }));
    return carryOn(process, at, reconcile, undefined, nowMs);
  };
  const carryOn = (
    process: Process,
    at: number,
    reconcile: Reconcile,
    answer: { readonly to: number; readonly answer: ApiAnswer } | undefined,
    nowMs: number,
  ): Process => {
    const { memory, views } = process;
    const result = effects.next(reconcile.run, answer, memory, reader(views, nowMs));
    const after = 'memory' in result ? withMemory(process, result.memory) : process;
    const next = result.enqueued.reduce<Process>(
      (added, [key, afterMs]) => addAfter(added, key, afterMs, nowMs),
      after,
    );
    if (result.end) return enter(next, at, reconcile.key, machine.next(reconcile.machine, result.end), nowMs);
    const waiting = continued(reconcile, result, () => {
      const segment = { reads: result.reads, ...(answer ? { answer } : {}) };
      return {
        ...reconcile,
        run: { ...reconcile.run, log: [...reconcile.run.log, segment] },
        asked: reconcile.asked + result.asked.length,
        open: [
          ...reconcile.open.filter(({ to }) => to !== answer?.to),
          ...result.asked.map((request, nth) => ({ to: reconcile.asked + nth, request })),
        ],
      };
    });
    return withReconciles(next, placed(next.reconciles, at, waiting));
  };
  const finish = (
    process: Process,
    at: number,
    key: string,
    output: NonNullable<MachineState['output']>,
    nowMs: number,
  ): Process => {
    const { queue } = process;
    const isAgain = queue.again.includes(key) || output.outcome === 'failed';
    const reconciles = process.reconciles.filter((_, each) => each !== at);
    const rest = withReconciles(withQueue(process, done(queue, key)), reconciles);
    const next = isAgain ? add(rest, key) : rest;
    return output.outcome === 'requeue' ? addAfter(next, key, output.afterMs, nowMs) : next;
  };
  return { enter, carryOn };
}

/** Enqueues a key. A key that a worker holds is requeued when its reconcile ends. */
export function add(process: Process, key: string): Process {
  const isTaken = process.reconciles.some((reconcile) => reconcile.key === key);
  const queue = withKey(process.queue, isTaken ? 'again' : 'ready', key);
  return queue === process.queue ? process : withQueue(process, queue);
}

const placed = (reconciles: readonly Reconcile[], at: number, reconcile: Reconcile): readonly Reconcile[] =>
  at < reconciles.length
    ? reconciles.map((each, nth) => (nth === at ? reconcile : each))
    : [...reconciles, reconcile];

import type { AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate';
import { ActorTable } from './actor-table.ts';
import { toActors } from './effects.ts';
import { type MachineRuns, type MachineRunsOptions, stateName } from './machine-runs.ts';

/** Creates runs as XState actors, for machines that are not flat. */
export function createActorRuns<RunId>(
  machine: AnyStateMachine,
  { effects, clock, log, observer }: MachineRunsOptions<RunId>,
): MachineRuns<RunId> {
  const { entered } = observer;
  /** Runs by actor system; each run has its own system. */
  const runsBySystem = new WeakMap<object, { readonly runId: RunId; state: string }>();
  const inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.microstep' && event.type !== '@xstate.snapshot') return;
    const run = runsBySystem.get((event.actorRef as AnyActorRef).system);
    if (run === undefined || event.actorRef.sessionId !== event.rootId) return;
    const state = stateName((event.snapshot as { value?: unknown }).value);
    if (state === run.state) return;
    run.state = state;
    entered?.(run.runId, state, event.event.type);
  };
  const logic = machine.provide({
    actors: toActors(effects, (system, name, signal) => {
      const run = runsBySystem.get(system);
      return run && observer.effect(run.runId, name, signal);
    }),
  });
  const table = new ActorTable({ clock, log, ...(entered ? { inspect } : {}) });
  return {
    run: (key, input, runId) =>
      table.run(key, logic, input, ({ system }) => runsBySystem.set(system, { runId, state: '' })),
    state: (key) =>
      stateName((table.get(key)?.getSnapshot() as { value?: unknown } | undefined)?.value ?? 'none'),
    stop: (key) => table.stop(key),
    stopAll: () => table.stopAll(),
  };
}

import type { AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate';
import { ActorTable } from './actor-table.ts';
import { toActors } from './effects.ts';
import { type MachineRuns, type MachineRunsOptions, stateName } from './machine-runs.ts';

/** Runs as XState's actors: for every machine there can be. */
export function createActorRuns<Pass>(
  machine: AnyStateMachine,
  { effects, clock, log, observer }: MachineRunsOptions<Pass>,
): MachineRuns<Pass> {
  const { entered } = observer;
  /** By actor system: one for each run. */
  const passes = new WeakMap<object, { readonly pass: Pass; state: string }>();
  const inspect = (event: InspectionEvent): void => {
    if (event.type !== '@xstate.microstep' && event.type !== '@xstate.snapshot') return;
    const run = passes.get((event.actorRef as AnyActorRef).system);
    if (run === undefined || event.actorRef.sessionId !== event.rootId) return;
    const state = stateName((event.snapshot as { value?: unknown }).value);
    if (state === run.state) return;
    run.state = state;
    entered?.(run.pass, state, event.event.type);
  };
  const logic = machine.provide({
    actors: toActors(effects, (system, name, signal) => {
      const run = passes.get(system);
      return run && observer.effect(run.pass, name, signal);
    }),
  });
  const table = new ActorTable({ clock, log, ...(entered ? { inspect } : {}) });
  return {
    run: (key, input, pass) =>
      table.run(key, logic, input, ({ system }) => passes.set(system, { pass, state: '' })),
    state: (key) =>
      stateName((table.get(key)?.getSnapshot() as { value?: unknown } | undefined)?.value ?? 'none'),
    stop: (key) => table.stop(key),
    stopAll: () => table.stopAll(),
  };
}

import { CodedError } from '../../base/errors/index.ts';
import type { ActorErrorCode } from './actor-table.ts';
import type { FlatMachine } from './flat-machine.ts';
import { FlatRun } from './flat-run.ts';
import type { MachineRuns, MachineRunsOptions } from './machine-runs.ts';

/**
 * Creates runs of a flat machine without actors. States, effects and events have the same order as in XState.
 * XState creates a root actor, a child actor for each effect, mailboxes, observers and a snapshot copy for
 * each step; their cost exceeds that of most effects.
 */
export function createFlatRuns<RunId>(
  machine: FlatMachine,
  options: MachineRunsOptions<RunId>,
): MachineRuns<RunId> {
  const runs = new Map<string, FlatRun<RunId>>();
  const stop = (key: string): void => {
    const run = runs.get(key);
    runs.delete(key);
    run?.stop(new CodedError<ActorErrorCode>('ERR_ACTOR_STOPPED', `run ${key} was stopped before its end`));
  };
  return {
    run: (key, input, runId) =>
      new Promise((resolve, reject) => {
        if (runs.has(key))
          throw new CodedError<ActorErrorCode>('ERR_ACTOR_EXISTS', `a run of ${key} is already in progress`);
        const run = new FlatRun(machine, options, runId, (end) => {
          if (runs.get(key) === run) runs.delete(key);
          if ('error' in end) reject(end.error);
          else resolve(end.output);
        });
        runs.set(key, run);
        run.start(input);
      }),
    state: (key) => runs.get(key)?.state.name ?? 'none',
    stop,
    stopAll: () => [...runs.keys()].forEach(stop),
  };
}

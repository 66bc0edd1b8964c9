import { CodedError } from '../../base/errors/coded.ts';
import type { ActorErrorCode } from './actor-table.ts';
import type { FlatMachine } from './flat-machine.ts';
import { FlatRun } from './flat-run.ts';
import type { MachineRuns, MachineRunsOptions } from './machine-runs.ts';

/**
 * Runs of a flat machine without actors: the same states in the same order, with the same events, at a fraction of the
 * cost. An actor costs more than most effects: a root and a child for each effect, with mailboxes, observers and copies
 * of everything at each step.
 */
export function createFlatRuns<Pass>(
  machine: FlatMachine,
  options: MachineRunsOptions<Pass>,
): MachineRuns<Pass> {
  const runs = new Map<string, FlatRun<Pass>>();
  const stop = (key: string): void => {
    const run = runs.get(key);
    runs.delete(key);
    run?.stop(new CodedError<ActorErrorCode>('ERR_ACTOR_STOPPED', `run ${key} was stopped before its end`));
  };
  return {
    run: (key, input, pass) =>
      new Promise((resolve, reject) => {
        if (runs.has(key))
          throw new CodedError<ActorErrorCode>('ERR_ACTOR_EXISTS', `a run of ${key} is under way already`);
        const run = new FlatRun(machine, options, pass, (end) => {
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

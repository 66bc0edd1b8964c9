import type { Clock } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Effects } from './effects.ts';

/** Observer of runs. `RunId` identifies a run. */
export interface RunObserver<RunId> {
  /**
   * Called with each entered state and the type of the event that caused it. Leave undefined to save the
   * calls.
   */
  readonly entered?: (runId: RunId, state: string, event: string) => void;
  /**
   * Called before each effect; throws if the run may not start further effects. The function that it returns
   * is called at the end of the effect, with the error or with `undefined` for success.
   */
  readonly effect: (
    runId: RunId,
    name: string,
    signal: AbortSignal,
  ) => ((thrown: unknown) => void) | undefined;
}

/** Options of machine runs. */
export interface MachineRunsOptions<RunId> {
  readonly effects: Effects;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: RunObserver<RunId>;
}

/** Runs of one machine, at most one per key. */
export interface MachineRuns<RunId> {
  /**
   * Runs the machine from its initial state to a final one and returns the output. Rejects with an error that
   * the machine does not handle, or with `ERR_ACTOR_STOPPED` if the run is stopped.
   */
  run(key: string, input: object, runId: RunId): Promise<unknown>;
  /** Returns the dotted state name of the run of `key`, or `none` if the key has no run. */
  state(key: string): string;
  /** Stops the run of `key` and aborts its effect. Does nothing if the key has no run. */
  stop(key: string): void;
  stopAll(): void;
}

/** Formats a state value: `{ signing: 'loading' }` as `signing.loading`, parallel regions with commas. */
export function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([state, inner]) => {
      const below = stateName(inner);
      return below === '' ? state : `${state}.${below}`;
    })
    .join(',');
}

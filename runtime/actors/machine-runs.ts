import type { Clock } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { Effects } from './effects.ts';

/** Observes runs. `RunId` identifies a run. */
export interface RunObserver<RunId> {
  /** Called with each entered state and the type of its event; absent to save the calls. */
  readonly entered?: (runId: RunId, state: string, event: string) => void;
  /**
   * Called before each effect; throws if the run may no longer act. The returned function is called at the
   * effect's end.
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
   * Runs from the initial state to a final one and returns the output. Rejects with an unhandled error, or if
   * it is stopped.
   */
  run(key: string, input: object, runId: RunId): Promise<unknown>;
  /** Dotted state of the run of `key`; `none` without a run. */
  state(key: string): string;
  /** Stops the run of `key` and aborts its effect. No effect if there is none. */
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

import type { Clock } from '../../base/clock/clock.ts';
import type { Logger } from '../../base/log/logger.ts';
import type { Effects } from './effects.ts';

/** What hears of runs. `Pass` is whatever a run is known by. */
export interface RunObserver<Pass> {
  /** Each state a run comes into, with the type of the event that led there; absent where nobody wants to know. */
  readonly entered?: (pass: Pass, state: string, event: string) => void;
  /** Asked before each effect; throws when the run may no longer act. What it returns is told how the effect ended. */
  readonly effect: (pass: Pass, name: string, signal: AbortSignal) => ((thrown: unknown) => void) | undefined;
}

export interface MachineRunsOptions<Pass> {
  readonly effects: Effects;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: RunObserver<Pass>;
}

/** Runs of one machine, at most one a key. */
export interface MachineRuns<Pass> {
  /** From the initial state to a final one; gives the output. Rejects with what the machine did not handle, or when it is stopped. */
  run(key: string, input: object, pass: Pass): Promise<unknown>;
  /** Where the run of `key` is, dotted; `none` without one. */
  state(key: string): string;
  /** Ends the run of `key` and aborts what it has under way. No effect when there is none. */
  stop(key: string): void;
  stopAll(): void;
}

/** `{ signing: 'loading' }` as `signing.loading`; parallel regions side by side with commas. */
export function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([state, inner]) => {
      const below = stateName(inner);
      return below === '' ? state : `${state}.${below}`;
    })
    .join(',');
}

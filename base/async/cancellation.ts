/**
 * Signal that is created on first use, as creating an AbortSignal takes longer than parsing a small object.
 */
export interface LateSignal {
  /** Throws the reason of the signal if the signal is aborted. */
  throwIfAborted(): void;
  readonly signal: AbortSignal;
}

/** Notification that the result of some work is no longer needed. */
export type Cancellation = AbortSignal | LateSignal;

/** Returns an AbortSignal, for code that needs an event instead of a check. */
export const signalOf = (cancellation: Cancellation): AbortSignal =>
  cancellation instanceof AbortSignal ? cancellation : cancellation.signal;

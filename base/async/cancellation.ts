/** A signal that is created on first use, because creating one takes longer than parsing a small object. */
export interface LateSignal {
  /** Throws the signal's reason once it is aborted. */
  throwIfAborted(): void;
  readonly signal: AbortSignal;
}

/** Reports that the result of some work is no longer needed. */
export type Cancellation = AbortSignal | LateSignal;

/** Returns the signal, for code that needs an event instead of a check. */
export const signalOf = (cancellation: Cancellation): AbortSignal =>
  cancellation instanceof AbortSignal ? cancellation : cancellation.signal;

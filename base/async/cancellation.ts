/** A signal that is made when somebody asks for it: to make one takes longer than to parse a small object. */
export interface LateSignal {
  /** Throws the signal's reason once it is aborted. */
  throwIfAborted(): void;
  readonly signal: AbortSignal;
}

/** By what work learns that nobody waits for it any longer. */
export type Cancellation = AbortSignal | LateSignal;

/** For who must be told of it at once, and not only when he looks. */
export const signalOf = (cancellation: Cancellation): AbortSignal =>
  cancellation instanceof AbortSignal ? cancellation : cancellation.signal;

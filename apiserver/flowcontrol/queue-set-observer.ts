import type { Flow, LimitedRequest, RejectionReason } from './queue.ts';

/** Observer of a queue set, called synchronously at each event. It must not call the queue set. */
export interface QueueSetObserver<F extends Flow> {
  /**
   * Called for each request that arrives, even if it is dispatched immediately. `length` is the length of its
   * queue, including the request.
   */
  enqueued(request: LimitedRequest<F>, length: number, nowMs: number): void;
  /** Called when a request starts to wait (1) or stops waiting (-1). */
  waiting(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  executing(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  seated(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  refused(request: LimitedRequest<F>, why: RejectionReason, nowMs: number): void;
  /** Called when there are too few free seats for the next request. */
  notSeated(request: LimitedRequest<F>): void;
  epochAdvanced(): void;
  /** Called once no request waits or executes. */
  idle(): void;
}

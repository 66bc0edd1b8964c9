import type { Flow, LimitedRequest, Refusal } from './queue.ts';

/** Observer of a queue set, called synchronously at each event. Must not call the set. */
export interface QueueSetObserver<F extends Flow> {
  /** `length` of its queue, including the request; called for requests dispatched at once, too. */
  enqueued(request: LimitedRequest<F>, length: number, nowMs: number): void;
  /** Called when a request starts (1) or ends (-1) waiting. */
  waiting(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  executing(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  seated(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  refused(request: LimitedRequest<F>, why: Refusal, nowMs: number): void;
  /** Called when there are too few free seats for the next request. */
  notSeated(request: LimitedRequest<F>): void;
  epochAdvanced(): void;
  /** Called once nothing waits or executes. */
  idle(): void;
}

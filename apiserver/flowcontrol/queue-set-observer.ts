import type { Flow, LimitedRequest, Refusal } from './queue.ts';

/** Hears of everything that happens, at the time it happened. Must not call the set back. */
export interface QueueSetObserver<F extends Flow> {
  /** `length` of its queue, itself included; of requests that are dispatched at once too. */
  enqueued(request: LimitedRequest<F>, length: number, nowMs: number): void;
  /** It waits, or does so no more. */
  waiting(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  executing(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  seated(request: LimitedRequest<F>, change: 1 | -1, nowMs: number): void;
  refused(request: LimitedRequest<F>, why: Refusal, nowMs: number): void;
  /** The next in turn did not find as many seats as it needs. */
  notSeated(request: LimitedRequest<F>): void;
  epochAdvanced(): void;
  /** Nothing waits or executes any more. */
  idle(): void;
}

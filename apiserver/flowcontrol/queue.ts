import type { Linked } from '../../base/collections/index.ts';
import type { RequestContext } from '../request.ts';
import { SERVICE_SECONDS, type WorkEstimate } from './work.ts';

/** Unit of fairness. Seats are shared evenly between flows, not between the requests of one flow. */
export interface Flow {
  readonly schema: string;
  /** User or namespace, by the schema's distinguisher method; '' if the schema has a single flow. */
  readonly distinguisher: string;
  readonly hash: bigint;
}

/** Final decision on a queued request. */
export type QueueOutcome = 'execute' | 'reject';
/** Reasons for a rejection; values of a metric label. */
export type RejectionReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** State of one request in a queue set. Only the queue set changes it. */
export class LimitedRequest<F extends Flow = Flow> implements Linked<LimitedRequest<F>> {
  readonly flow: F;
  /** Attributes of the request that debug tables contain. */
  readonly about: Pick<RequestContext, 'user' | 'info'> | undefined;
  /** Estimated work. When the request is dispatched, its final stage may become narrower and longer. */
  work: WorkEstimate;
  state: 'new' | 'waiting' | 'executing' | 'ended' = 'new';
  /**
   * Callback for the outcome, set while the request waits and called once. It must not call the queue set.
   */
  onOutcome: ((verdict: QueueOutcome) => void) | undefined;
  /** Queue of the request; undefined if the queue set has no queues. */
  queue: Queue<F> | undefined;
  /** Seconds that the request was charged when it was dispatched. */
  chargedSeconds = 0;
  arrivedMs = 0;
  startedMs = 0;
  answeredMs = 0;
  /** Reading of the progress meter when the request arrived. */
  arrivalProgress = 0;
  previous: LimitedRequest<F> | undefined;
  next: LimitedRequest<F> | undefined;

  constructor(flow: F, work: WorkEstimate, about?: Pick<RequestContext, 'user' | 'info'>) {
    this.flow = flow;
    this.work = work;
    this.about = about;
  }

  /** Number of seats that the request holds from its dispatch to the end of its additional latency. */
  get seats(): number {
    return Math.max(this.work.initialSeats, this.work.finalSeats);
  }

  /** Expected cost of the request in seat-seconds. */
  get seatSeconds(): number {
    const { initialSeats, finalSeats, additionalLatencyMs } = this.work;
    return initialSeats * SERVICE_SECONDS + (finalSeats * additionalLatencyMs) / 1000;
  }
}

/** One queue of a queue set: its waiting requests, oldest first, and sums over its executing requests. */
export class Queue<F extends Flow = Flow> {
  /** Index of the queue in the queue set. */
  readonly index: number;
  readonly waiting = new Set<LimitedRequest<F>>();
  executing = 0;
  seatsInUse = 0;
  /**
   * Sums over the executing requests: initial seats, initial seats times start time in milliseconds, and
   * initial seats times charged seconds.
   */
  #servedSeats = 0;
  #servedSince = 0;
  #charged = 0;
  /** Sums over the waiting requests. */
  waitingSeats = 0;
  waitingInitialSeats = 0;
  waitingWork = 0;
  /** Progress at which the queue's next request is dispatched in the virtual schedule. */
  nextDispatch = 0;
  /** True if the dispatcher counts the queue among the busy ones. */
  active = false;

  constructor(index: number) {
    this.index = index;
  }

  get oldest(): LimitedRequest<F> | undefined {
    return this.waiting.values().next().value;
  }

  get isBusy(): boolean {
    return this.waiting.size > 0 || this.executing > 0;
  }

  started({ work: { initialSeats }, startedMs, chargedSeconds, seats }: LimitedRequest<F>): void {
    this.executing++;
    this.seatsInUse += seats;
    this.#servedSeats += initialSeats;
    this.#servedSince += initialSeats * startedMs;
    this.#charged += initialSeats * chargedSeconds;
  }

  ended({ work: { initialSeats }, startedMs, chargedSeconds }: LimitedRequest<F>): void {
    this.executing--;
    this.#servedSeats -= initialSeats;
    this.#servedSince -= initialSeats * startedMs;
    this.#charged -= initialSeats * chargedSeconds;
    if (this.executing === 0) this.#servedSince = this.#charged = 0;
  }

  /** Returns the seat-seconds that the executing requests have used in excess of those charged. */
  overrun(nowMs: number): number {
    const taken = (this.#servedSeats * nowMs - this.#servedSince) / 1000;
    return Math.max(0, taken - this.#charged);
  }

  enqueue(request: LimitedRequest<F>): void {
    this.waiting.add(request);
    this.#sum(request, 1);
  }

  remove(request: LimitedRequest<F>): void {
    this.waiting.delete(request);
    // Rounding errors of repeated additions and subtractions accumulate, so an empty queue resets the sums.
    if (this.waiting.size > 0) this.#sum(request, -1);
    else this.waitingSeats = this.waitingInitialSeats = this.waitingWork = 0;
  }

  #sum(request: LimitedRequest<F>, sign: number): void {
    this.waitingSeats += sign * request.seats;
    this.waitingInitialSeats += sign * request.work.initialSeats;
    this.waitingWork += sign * request.seatSeconds;
  }
}

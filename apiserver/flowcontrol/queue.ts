import type { Linked } from '../../base/collections/index.ts';
import type { RequestContext } from '../request.ts';
import { SERVICE_SECONDS, type WorkEstimate } from './work.ts';

/** Unit of fairness: seats are shared evenly between flows, not between the requests of one flow. */
export interface Flow {
  readonly schema: string;
  /** User or namespace, by the schema's method; '' if the schema has a single flow. */
  readonly distinguisher: string;
  readonly hash: bigint;
}

/** Final decision on a queued request. */
export type QueueOutcome = 'execute' | 'reject';
/** Reasons as in the metrics' labels. */
export type Refusal = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** State of one request in a queue set; only that set writes it. */
export class LimitedRequest<F extends Flow = Flow> implements Linked<LimitedRequest<F>> {
  readonly flow: F;
  /** Attributes shown in debug tables. */
  readonly about: Pick<RequestContext, 'user' | 'info'> | undefined;
  /** Its final stage may become narrower and longer when it is dispatched. */
  work: WorkEstimate;
  state: 'new' | 'waiting' | 'executing' | 'ended' = 'new';
  /** Set while it waits; called once with the outcome. Must not call the set. */
  onOutcome: ((verdict: QueueOutcome) => void) | undefined;
  /** Undefined if the set has no queues. */
  queue: Queue<F> | undefined;
  /** Seconds it was charged when it was dispatched. */
  chargedSeconds = 0;
  arrivedMs = 0;
  startedMs = 0;
  answeredMs = 0;
  /** Progress meter at its arrival. */
  arrivalProgress = 0;
  previous: LimitedRequest<F> | undefined;
  next: LimitedRequest<F> | undefined;

  constructor(flow: F, work: WorkEstimate, about?: Pick<RequestContext, 'user' | 'info'>) {
    this.flow = flow;
    this.work = work;
    this.about = about;
  }

  /** Seats it holds from its dispatch to the end of its additional latency. */
  get seats(): number {
    return Math.max(this.work.initialSeats, this.work.finalSeats);
  }

  /** Expected cost in seat-seconds. */
  get seatSeconds(): number {
    const { initialSeats, finalSeats, additionalLatencyMs } = this.work;
    return initialSeats * SERVICE_SECONDS + (finalSeats * additionalLatencyMs) / 1000;
  }
}

/** One queue of a set: its waiting requests, oldest first, and totals of the executing ones. */
export class Queue<F extends Flow = Flow> {
  /** Position in the set. */
  readonly index: number;
  readonly waiting = new Set<LimitedRequest<F>>();
  executing = 0;
  seatsInUse = 0;
  /**
   * Sums over the executing requests: initial seats; seats times start in milliseconds; seats times charged
   * seconds.
   */
  #servedSeats = 0;
  #servedSince = 0;
  #charged = 0;
  /** Sums over the waiting requests. */
  waitingSeats = 0;
  waitingInitialSeats = 0;
  waitingWork = 0;
  /** Progress at which its next request is dispatched in the virtual schedule. */
  nextDispatch = 0;
  /** True if it counts among the busy queues that share the seats. */
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

  /** Seat-seconds that the executing requests have used beyond their charge. */
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
    // Sums of fractions drift, so an empty queue resets them.
    if (this.waiting.size > 0) this.#sum(request, -1);
    else this.waitingSeats = this.waitingInitialSeats = this.waitingWork = 0;
  }

  #sum(request: LimitedRequest<F>, sign: number): void {
    this.waitingSeats += sign * request.seats;
    this.waitingInitialSeats += sign * request.work.initialSeats;
    this.waitingWork += sign * request.seatSeconds;
  }
}

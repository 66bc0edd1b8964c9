import type { Linked } from '../../base/collections/index.ts';
import type { RequestContext } from '../request.ts';
import { SERVICE_SECONDS, type WorkEstimate } from './work.ts';

/** Requests that are one to fairness: seats are shared evenly between flows, not between the requests of one. */
export interface Flow {
  readonly schema: string;
  /** User or namespace, by the schema's method; '' where it tells no flows apart. */
  readonly distinguisher: string;
  readonly hash: bigint;
}

export type Verdict = 'execute' | 'reject';
/** As metrics have them. */
export type Refusal = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

/** One request on its way through a queue set; written by that set alone. */
export class LimitedRequest<F extends Flow = Flow> implements Linked<LimitedRequest<F>> {
  readonly flow: F;
  /** What debug tables show of it. */
  readonly about: Pick<RequestContext, 'user' | 'info'> | undefined;
  /** Its last part may be made narrower and longer when it is dispatched. */
  work: WorkEstimate;
  state: 'new' | 'waiting' | 'executing' | 'ended' = 'new';
  /** Set while it waits: told once what became of it. Must not call the set back. */
  onVerdict: ((verdict: Verdict) => void) | undefined;
  /** Undefined where there are no queues. */
  queue: Queue<F> | undefined;
  /** Taken for its duration when it was dispatched. */
  chargedSeconds = 0;
  arrivedMs = 0;
  startedMs = 0;
  answeredMs = 0;
  /** The progress meter when it arrived. */
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

  /** Seat-seconds that it is expected to cost. */
  get seatSeconds(): number {
    const { initialSeats, finalSeats, additionalLatencyMs } = this.work;
    return initialSeats * SERVICE_SECONDS + (finalSeats * additionalLatencyMs) / 1000;
  }
}

/** One queue of a set: its waiting requests, oldest first, and what it has in work. */
export class Queue<F extends Flow = Flow> {
  /** Its place in the set. */
  readonly index: number;
  readonly waiting = new Set<LimitedRequest<F>>();
  executing = 0;
  seatsInUse = 0;
  /** Sums over those in execution: initial seats; seats times the milliseconds at which they started; times the seconds charged. */
  #servedSeats = 0;
  #servedSince = 0;
  #charged = 0;
  /** Sums over the waiting. */
  waitingSeats = 0;
  waitingInitialSeats = 0;
  waitingWork = 0;
  /** The progress meter's reading at which its next request is dispatched in the virtual world. */
  nextDispatch = 0;
  /** Whether it counts among those that share the seats. */
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

  /** Seat-seconds that those in execution have taken already beyond what they are charged with. */
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
    // Sums of fractions drift; an empty queue begins anew.
    if (this.waiting.size > 0) this.#sum(request, -1);
    else this.waitingSeats = this.waitingInitialSeats = this.waitingWork = 0;
  }

  #sum(request: LimitedRequest<F>, sign: number): void {
    this.waitingSeats += sign * request.seats;
    this.waitingInitialSeats += sign * request.work.initialSeats;
    this.waitingWork += sign * request.seatSeconds;
  }
}

import { type Flow, type LimitedRequest, Queue } from './queue.ts';
import { dealHand } from './shuffle-sharding.ts';
import { SERVICE_SECONDS, narrowed } from './work.ts';

/** Queues of a priority level. */
export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** Limits of one queue set. */
export interface QueueSetConfiguration {
  /** Undefined: a request that cannot run at once is refused. */
  readonly queuing: Queuing | undefined;
  /** Maximum milliseconds a request waits. */
  readonly waitLimitMs: number;
  /** Number of seats. */
  readonly concurrencyLimit: number;
}

/** Metrics of the last dispatch, in seat-seconds; the bounds are over the queues considered. */
export interface DispatchReading {
  readonly progress: number;
  readonly start: number;
  readonly minStart: number;
  readonly maxStart: number;
  /** Starts minus the work that their queues have in execution. */
  readonly minDiscounted: number;
  readonly maxDiscounted: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Number of requests in the moving average of the duration. */
const MEMORY = 64;
/** Limit of the progress meter, beyond which it is wound back to keep its readings exact to a microsecond. */
const EPOCH = 2 ** 30;

/**
 * Chooses the next request by fair queuing. The progress meter advances at the rate at which each busy queue
 * would be served if all were served simultaneously and equally. A queue that got more than its share has its
 * next request scheduled later by that amount. The request with the earliest finish in this virtual schedule
 * is next
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset/doc.go).
 */
export class Dispatcher<F extends Flow> {
  queues: Queue<F>[] = [];
  /** R: seat-seconds that each busy queue should have received so far. */
  progress = 0;
  /** Reused object: every request writes it, and metrics rarely read it. */
  readonly #last: Mutable<DispatchReading> = {
    progress: 0,
    start: 0,
    minStart: 0,
    maxStart: 0,
    minDiscounted: 0,
    maxDiscounted: 0,
  };
  readonly #onEpoch: () => void;
  #atMs: number;
  #queuing: Queuing | undefined;
  #concurrencyLimit = 1;
  #hands = new WeakMap<F, readonly number[]>();
  #arrivals = 0;
  /**
   * Seconds a request is charged when it is dispatched: the average of recent ones. Upstream always charges 3
   * ms; when requests take much longer, a flow then gets many seats before its first charge, and other flows
   * wait for them.
   */
  #expectedSeconds = SERVICE_SECONDS;
  /** Index of the queue served last. */
  #robin = 0;
  #active = 0;
  /** Seats that queued requests hold or wait for. */
  #seatsWanted = 0;

  constructor(nowMs: number, onEpoch: () => void) {
    this.#atMs = nowMs;
    this.#onEpoch = onEpoch;
  }

  configure({ queuing, concurrencyLimit }: QueueSetConfiguration): void {
    const isSame = queuing?.queues === this.#queuing?.queues && queuing?.handSize === this.#queuing?.handSize;
    if (!isSame) this.#hands = new WeakMap();
    this.#queuing = queuing;
    this.#concurrencyLimit = concurrencyLimit;
    while (this.queues.length < (queuing?.queues ?? 0)) this.queues.push(new Queue(this.queues.length));
    this.#trim();
  }

  get lastDispatch(): DispatchReading {
    return this.#last;
  }

  advanceTo(nowMs: number): void {
    const elapsed = nowMs - this.#atMs;
    if (elapsed <= 0) return;
    this.#atMs = nowMs;
    if (this.#active === 0) return;
    const rate = Math.min(this.#seatsWanted, this.#concurrencyLimit) / this.#active;
    this.progress += (rate * elapsed) / 1000;
    if (this.progress >= EPOCH) this.#windBack();
  }

  /** Chooses the queue of the flow's hand with the least waiting work; rotates among equal ones. */
  choose(request: LimitedRequest<F>): Queue<F> {
    const hand = this.#handOf(request.flow);
    const from = this.#arrivals++ % hand.length;
    let chosen = this.#at(hand[from] ?? 0);
    for (let step = 1; step < hand.length && chosen.waiting.size > 0; step++) {
      const queue = this.#at(hand[(from + step) % hand.length] ?? 0);
      if (queue.waitingWork < chosen.waitingWork) chosen = queue;
    }
    request.queue = chosen;
    request.arrivalProgress = this.progress;
    return chosen;
  }

  enqueue(request: LimitedRequest<F>): void {
    const { queue } = request;
    if (queue === undefined) return;
    this.#wake(queue);
    queue.enqueue(request);
    this.#seatsWanted += request.seats;
    this.#recount(queue);
    this.#bound(queue);
  }

  remove(request: LimitedRequest<F>): void {
    const { queue } = request;
    if (queue === undefined) return;
    queue.remove(request);
    this.#seatsWanted -= request.seats;
    this.#recount(queue);
    this.#bound(queue);
    this.#trim();
  }

  /** Accounts for a request that starts without waiting, when no others wait. */
  passThrough(request: LimitedRequest<F>, queue: Queue<F>, limit: number): void {
    this.#wake(queue);
    queue.nextDispatch = Math.max(queue.nextDispatch, request.arrivalProgress);
    this.#robin = queue.index;
    const discounted = queue.nextDispatch - queue.seatsInUse * SERVICE_SECONDS;
    const last = this.#last;
    last.minStart = last.maxStart = queue.nextDispatch;
    last.minDiscounted = last.maxDiscounted = discounted;
    this.#charge(request, queue, limit);
  }

  /** Returns the oldest request of the queue that is next, without removing it. */
  next(): LimitedRequest<F> | undefined {
    let best: LimitedRequest<F> | undefined;
    let earliest = Infinity;
    const last = this.#last;
    last.minStart = last.minDiscounted = Infinity;
    last.maxStart = last.maxDiscounted = -Infinity;
    const count = this.queues.length;
    for (let step = 1; step <= count; step++) {
      const queue = this.#at((this.#robin + step) % count);
      if (queue.waiting.size === 0) continue;
      const { oldest } = queue;
      if (oldest === undefined) continue;
      const discounted = queue.nextDispatch - queue.seatsInUse * SERVICE_SECONDS;
      last.minStart = Math.min(last.minStart, queue.nextDispatch);
      last.maxStart = Math.max(last.maxStart, queue.nextDispatch);
      last.minDiscounted = Math.min(last.minDiscounted, discounted);
      last.maxDiscounted = Math.max(last.maxDiscounted, discounted);
      // A request that runs longer than expected is charged when it ends; until then its overrun counts.
      const finish = queue.nextDispatch + queue.overrun(this.#atMs) + this.#costOf(oldest);
      if (finish >= earliest) continue;
      earliest = finish;
      best = oldest;
    }
    return best;
  }

  /** Removes the request returned by `next` from its queue. */
  take(request: LimitedRequest<F>, limit: number): void {
    const { queue } = request;
    if (queue === undefined) return;
    this.#robin = queue.index;
    queue.remove(request);
    this.#seatsWanted -= request.seats;
    this.#charge(request, queue, limit);
    this.#bound(queue);
  }

  started(request: LimitedRequest<F>): void {
    const { queue } = request;
    if (queue === undefined) return;
    queue.started(request);
    this.#seatsWanted += request.seats;
    this.#recount(queue);
  }

  /** Charges the request's actual duration. */
  ended(request: LimitedRequest<F>, servedSeconds: number): void {
    const change = (servedSeconds - this.#expectedSeconds) / MEMORY;
    this.#expectedSeconds = Math.max(SERVICE_SECONDS, this.#expectedSeconds + change);
    const { queue } = request;
    if (queue === undefined) return;
    queue.ended(request);
    queue.nextDispatch += request.work.initialSeats * (servedSeconds - request.chargedSeconds);
    this.#recount(queue);
    this.#bound(queue);
  }

  released({ queue, seats }: LimitedRequest<F>): void {
    if (queue === undefined) return;
    queue.seatsInUse -= seats;
    this.#seatsWanted -= seats;
    this.#trim();
  }

  #at(index: number): Queue<F> {
    const queue = this.queues[index];
    if (queue === undefined) throw new RangeError(`no queue ${index} of ${this.queues.length}`);
    return queue;
  }

  #costOf({ work, seatSeconds }: LimitedRequest<F>): number {
    return seatSeconds + work.initialSeats * (this.#expectedSeconds - SERVICE_SECONDS);
  }

  #handOf(flow: F): readonly number[] {
    const known = this.#hands.get(flow);
    if (known !== undefined) return known;
    const { queues = 1, handSize = 1 } = this.#queuing ?? {};
    const hand = dealHand(flow.hash, queues, Math.min(handSize, queues));
    this.#hands.set(flow, hand);
    return hand;
  }

  /** Starts an idle queue at the present progress: it accumulates no credit. */
  #wake(queue: Queue<F>): void {
    if (!queue.isBusy) queue.nextDispatch = this.progress;
  }

  /** A request is never dispatched in the virtual schedule before its arrival. */
  #bound(queue: Queue<F>): void {
    if (queue.waiting.size === 0) return;
    queue.nextDispatch = Math.max(queue.nextDispatch, queue.oldest?.arrivalProgress ?? 0);
  }

  /** Charges a request; its final seats cannot exceed the limit. */
  #charge(request: LimitedRequest<F>, queue: Queue<F>, limit: number): void {
    this.#last.progress = this.progress;
    this.#last.start = queue.nextDispatch;
    request.work = narrowed(request.work, limit);
    request.chargedSeconds = this.#expectedSeconds;
    queue.nextDispatch += this.#costOf(request);
  }

  #recount(queue: Queue<F>): void {
    if (queue.active === queue.isBusy) return;
    queue.active = queue.isBusy;
    this.#active += queue.active ? 1 : -1;
  }

  /** Removes empty queues beyond the configured number, from the end; new hands no longer contain them. */
  #trim(): void {
    const wanted = this.#queuing?.queues ?? 0;
    while (this.queues.length > wanted) {
      const last = this.queues.at(-1);
      if (last === undefined || last.isBusy || last.seatsInUse > 0) return;
      this.queues.pop();
      if (this.#robin >= this.queues.length) this.#robin = 0;
    }
  }

  #windBack(): void {
    const by = this.progress;
    this.progress = 0;
    for (const queue of this.queues) {
      queue.nextDispatch = queue.isBusy ? queue.nextDispatch - by : 0;
      for (const request of queue.waiting) request.arrivalProgress -= by;
    }
    this.#onEpoch();
  }
}

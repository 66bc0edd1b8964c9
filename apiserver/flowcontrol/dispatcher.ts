import { type Flow, type LimitedRequest, Queue } from './queue.ts';
import { dealHand } from './shuffle-sharding.ts';
import { SERVICE_SECONDS, narrowed } from './work.ts';

/** Number and size of the queues of a priority level. */
export interface Queuing {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** Seats, queues and wait limit of one queue set. */
export interface QueueSetConfiguration {
  /** Queues of the level; undefined if a request without a free seat is rejected immediately. */
  readonly queuing: Queuing | undefined;
  /** Maximum time in milliseconds that a request waits. */
  readonly waitLimitMs: number;
  /** Number of seats. */
  readonly concurrencyLimit: number;
}

/**
 * Values of the last dispatch for metrics, in seat-seconds. Minima and maxima are over the non-empty queues.
 */
export interface DispatchReading {
  readonly progress: number;
  readonly start: number;
  readonly minStart: number;
  readonly maxStart: number;
  /** Minimum and maximum of the start minus the queue's expected work in execution. */
  readonly minDiscounted: number;
  readonly maxDiscounted: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Number of requests over which the moving average of the duration is taken. */
const MEMORY = 64;
/**
 * Maximum of the progress meter in seat-seconds. Beyond it, the meter is wound back so that its readings stay
 * exact to a microsecond.
 */
const EPOCH = 2 ** 30;

/**
 * Fair queuing of requests
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset/doc.go).
 * It simulates a virtual schedule in which all busy queues are served simultaneously and equally. The
 * progress meter advances at the rate at which each busy queue is served there.
 *
 * If a queue has received more than its share, its next request is scheduled later by that amount. The
 * request with the earliest virtual finish is dispatched next.
 */
export class Dispatcher<F extends Flow> {
  queues: Queue<F>[] = [];
  /** Seat-seconds that each busy queue should have received so far (`R` in upstream). */
  progress = 0;
  /** Object that each dispatch overwrites instead of creating one, as metrics rarely read it. */
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
   * Seconds that a request is charged when it is dispatched: the average of recent requests. Upstream always
   * charges 3 ms. If requests take much longer, a flow would then get many seats before it is charged the
   * actual duration, and other flows would wait.
   */
  #expectedSeconds = SERVICE_SECONDS;
  /** Index of the queue from which a request was dispatched last. */
  #robin = 0;
  #active = 0;
  /** Number of seats for which queued requests wait. */
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

  /**
   * Chooses the queue with the least waiting work among the queues of the flow. Alternates among queues with
   * equal work.
   */
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

  /** Accounts for a request that starts immediately while no other request waits. */
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

  /** Returns the oldest request of the queue to serve next, without removing the request. */
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
      // A request that runs longer than expected is charged the difference when it ends. Until then, the
      // difference counts as overrun.
      const finish = queue.nextDispatch + queue.overrun(this.#atMs) + this.#costOf(oldest);
      if (finish >= earliest) continue;
      earliest = finish;
      best = oldest;
    }
    return best;
  }

  /** Removes a request that `next` returned from its queue. */
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

  /** Replaces the expected duration that was charged by the actual duration. */
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

  /**
   * Sets the next dispatch of an idle queue to the current progress, so that the queue accumulates no credit
   * while idle.
   */
  #wake(queue: Queue<F>): void {
    if (!queue.isBusy) queue.nextDispatch = this.progress;
  }

  /** Ensures that the virtual dispatch of a request is not before its arrival. */
  #bound(queue: Queue<F>): void {
    if (queue.waiting.size === 0) return;
    queue.nextDispatch = Math.max(queue.nextDispatch, queue.oldest?.arrivalProgress ?? 0);
  }

  /** Charges a request to its queue. Its final seats are reduced to the limit. */
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

  /** Removes empty queues beyond the configured number, from the end. Flows no longer use these queues. */
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

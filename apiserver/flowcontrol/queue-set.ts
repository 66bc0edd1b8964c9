import type { Clock, Timer } from '../../base/clock/index.ts';
import { IntrusiveList } from '../../base/collections/index.ts';
import { type DispatchReading, Dispatcher, type QueueSetConfiguration } from './dispatcher.ts';
import type { Flow, LimitedRequest, RejectionReason, QueueOutcome } from './queue.ts';
import type { QueueSetObserver } from './queue-set-observer.ts';

/** Finished request that holds its seats until its additional latency is over. */
interface Lingering<F extends Flow> {
  readonly request: LimitedRequest<F>;
  readonly dueMs: number;
}

/**
 * Maximum time in milliseconds for which a response that is being sent holds the request's seats. Requests
 * that only compute end before the next one is read, so this time is what limits them. A client that reads
 * slowly holds no seats afterwards.
 */
const ANSWERED_MS = 1_000;

/**
 * Assignment of the seats of one priority level to requests, fairly between flows
 * (https://github.com/kubernetes/kubernetes/tree/v1.24.0/staging/src/k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset).
 *
 * Guarantees: seats in use never exceed the limit, except for one wider request that runs alone. Each request
 * is executed or rejected exactly once. The requests of one queue are dispatched in order. A timer exists
 * only while requests wait; otherwise, time is read from `clock` at each event.
 */
export class QueueSet<F extends Flow = Flow> {
  readonly #clock: Clock;
  readonly #observer: QueueSetObserver<F>;
  readonly #dispatcher: Dispatcher<F>;
  #configuration: QueueSetConfiguration;
  #executing = 0;
  #seatsInUse = 0;
  /** Waiting requests of all queues, in arrival order. */
  readonly #waiting = new Set<LimitedRequest<F>>();
  /** Finished requests that still hold seats, sorted by due time. */
  #lingering: Lingering<F>[] = [];
  /** Executed requests whose responses are still being sent, in the order in which they were executed. */
  readonly #answered = new IntrusiveList<LimitedRequest<F>>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock, configuration: QueueSetConfiguration, observer: QueueSetObserver<F>) {
    this.#clock = clock;
    this.#observer = observer;
    this.#configuration = configuration;
    this.#dispatcher = new Dispatcher(clock.monotonic(), () => observer.epochAdvanced());
    this.#dispatcher.configure(configuration);
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get executingCount(): number {
    return this.#executing;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  get concurrencyLimit(): number {
    return this.#configuration.concurrencyLimit;
  }

  get isIdle(): boolean {
    return this.#executing === 0 && this.#waiting.size === 0;
  }

  get queues() {
    return this.#dispatcher.queues;
  }

  get progress(): number {
    return this.#dispatcher.progress;
  }

  get lastDispatch(): DispatchReading {
    return this.#dispatcher.lastDispatch;
  }

  /** Changes the limits immediately; waiting requests keep their positions. */
  configure(configuration: QueueSetConfiguration): void {
    const now = this.#advance();
    this.#configuration = configuration;
    this.#dispatcher.configure(configuration);
    this.#dispatch(now, undefined);
    this.#arm(now);
  }

  /**
   * Admits a request. If the result is `waiting`, the caller must set `onOutcome` immediately to receive the
   * outcome. The caller must call `finish` for an executing request.
   */
  arrive(request: LimitedRequest<F>): QueueOutcome | 'waiting' {
    const now = this.#advance();
    request.arrivedMs = now;
    if (this.#closed) return this.#reject(request, 'cancelled', now);
    const { queuing, concurrencyLimit } = this.#configuration;
    if (queuing === undefined) {
      if (!this.#hasRoomFor(request)) return this.#reject(request, 'concurrency-limit', now);
      this.#start(request, now);
      return 'execute';
    }
    const queue = this.#dispatcher.choose(request);
    if (this.#waiting.size === 0 && this.#hasRoomFor(request)) {
      this.#observer.enqueued(request, 1, now);
      this.#dispatcher.passThrough(request, queue, concurrencyLimit);
      this.#start(request, now);
      return 'execute';
    }
    if (this.#seatsInUse >= concurrencyLimit && queue.waiting.size >= queuing.queueLengthLimit)
      return this.#reject(request, 'queue-full', now);
    this.#wait(request, now);
    this.#dispatch(now, request);
    this.#arm(now);
    return request.state === 'executing' ? 'execute' : 'waiting';
  }

  /**
   * Removes a waiting request whose client disconnected. Returns false if the request no longer waits because
   * its outcome was already reported.
   */
  leave(request: LimitedRequest<F>): boolean {
    if (!this.#waiting.has(request)) return false;
    const now = this.#advance();
    // The request may just have timed out or been dispatched.
    if (!this.#waiting.has(request)) return false;
    this.#unqueue(request, now);
    request.onOutcome = undefined;
    this.#reject(request, 'cancelled', now);
    this.#dispatch(now, undefined);
    this.#arm(now);
    return true;
  }

  /**
   * Records that a request was executed and its response is being sent. Its seats are released by `finish`,
   * or after one second.
   */
  answered(request: LimitedRequest<F>): void {
    if (request.state !== 'executing') return;
    const now = this.#clock.monotonic();
    request.answeredMs = now;
    this.#answered.delete(request);
    this.#answered.add(request);
    if (this.#waiting.size > 0) this.#arm(now);
  }

  /** Releases the seats of a request. Has no effect if the seats are already released. */
  finish(request: LimitedRequest<F>): void {
    const now = this.#advance();
    // `#expire` may already have ended the request, as its response took longer than `ANSWERED_MS`.
    if (request.state !== 'executing') return;
    this.#end(request, now);
    this.#dispatch(now, undefined);
    this.#arm(now);
  }

  /** Advances to the current time, so that the state and the metrics are current. */
  refresh(): void {
    const now = this.#advance();
    this.#dispatch(now, undefined);
    this.#arm(now);
  }

  /** Rejects all waiting and future requests. */
  close(): void {
    this.#closed = true;
    const now = this.#clock.monotonic();
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const request of this.#waiting) this.#dismiss(request, 'cancelled', now);
  }

  #hasRoomFor({ seats }: LimitedRequest<F>): boolean {
    const { concurrencyLimit } = this.#configuration;
    if (seats > concurrencyLimit) return this.#seatsInUse === 0;
    return this.#seatsInUse + seats <= concurrencyLimit;
  }

  #reject(request: LimitedRequest<F>, why: RejectionReason, now: number): 'reject' {
    request.state = 'ended';
    this.#observer.refused(request, why, now);
    return 'reject';
  }

  #wait(request: LimitedRequest<F>, now: number): void {
    request.state = 'waiting';
    this.#waiting.add(request);
    this.#dispatcher.enqueue(request);
    this.#observer.enqueued(request, request.queue?.waiting.size ?? 0, now);
    this.#observer.waiting(request, 1, now);
  }

  #unqueue(request: LimitedRequest<F>, now: number): void {
    this.#waiting.delete(request);
    this.#dispatcher.remove(request);
    this.#observer.waiting(request, -1, now);
  }

  #start(request: LimitedRequest<F>, now: number): void {
    request.state = 'executing';
    request.startedMs = now;
    this.#executing++;
    this.#seatsInUse += request.seats;
    this.#dispatcher.started(request);
    this.#observer.executing(request, 1, now);
    this.#observer.seated(request, 1, now);
  }

  #end(request: LimitedRequest<F>, at: number): void {
    request.state = 'ended';
    this.#answered.delete(request);
    this.#executing--;
    const servedSeconds = (at - request.startedMs) / 1000;
    this.#dispatcher.ended(request, servedSeconds);
    this.#observer.executing(request, -1, at);
    const { additionalLatencyMs } = request.work;
    if (additionalLatencyMs > 0) this.#linger(request, at + additionalLatencyMs);
    else this.#release(request, at);
    if (this.isIdle) this.#observer.idle();
  }

  #linger(request: LimitedRequest<F>, dueMs: number): void {
    let at = this.#lingering.length;
    while (at > 0 && (this.#lingering[at - 1]?.dueMs ?? 0) > dueMs) at--;
    this.#lingering.splice(at, 0, { request, dueMs });
  }

  #release(request: LimitedRequest<F>, at: number): void {
    this.#seatsInUse -= request.seats;
    this.#dispatcher.released(request);
    this.#observer.seated(request, -1, at);
  }

  /**
   * Releases all seats that have become due since the last event, each at its due time, and rejects requests
   * that waited too long. Returns the current time.
   */
  #advance(): number {
    const now = this.#clock.monotonic();
    if (this.#lingering.length > 0 || (this.#answered.size > 0 && this.#isPressed())) this.#expire(now);
    this.#dispatcher.advanceTo(now);
    for (const request of this.#waiting) {
      if (request.arrivedMs + this.#configuration.waitLimitMs > now) break;
      this.#dismiss(request, 'time-out', now);
    }
    return now;
  }

  /** True if a request waits or no seat is free, so that the release of seats matters. */
  #isPressed(): boolean {
    return this.#waiting.size > 0 || this.#seatsInUse >= this.#configuration.concurrencyLimit;
  }

  #expire(now: number): void {
    for (const request of this.#answered) {
      const dueMs = request.answeredMs + ANSWERED_MS;
      if (dueMs > now) break;
      this.#dispatcher.advanceTo(dueMs);
      this.#end(request, dueMs);
    }
    let count = 0;
    for (const { request, dueMs } of this.#lingering) {
      if (dueMs > now) break;
      count++;
      this.#dispatcher.advanceTo(dueMs);
      this.#release(request, dueMs);
    }
    if (count > 0) this.#lingering.splice(0, count);
  }

  #dismiss(request: LimitedRequest<F>, why: RejectionReason, now: number): void {
    this.#unqueue(request, now);
    this.#reject(request, why, now);
    this.#notify(request, 'reject');
  }

  #notify(request: LimitedRequest<F>, verdict: QueueOutcome): void {
    const { onOutcome } = request;
    request.onOutcome = undefined;
    onOutcome?.(verdict);
  }

  /**
   * Dispatches waiting requests while there are enough free seats. The request `arriving` gets its outcome from
   * the result of `arrive` instead of `onOutcome`.
   */
  #dispatch(now: number, arriving: LimitedRequest<F> | undefined): void {
    while (this.#waiting.size > 0 && this.#seatsInUse < this.#configuration.concurrencyLimit) {
      const request = this.#dispatcher.next();
      if (request === undefined) return;
      if (!this.#hasRoomFor(request)) {
        this.#observer.notSeated(request);
        return;
      }
      this.#waiting.delete(request);
      this.#dispatcher.take(request, this.#configuration.concurrencyLimit);
      this.#observer.waiting(request, -1, now);
      this.#start(request, now);
      if (request !== arriving) this.#notify(request, 'execute');
    }
  }

  /** Sets a timer for the next release of seats or wait limit, if requests wait. */
  #arm(now: number): void {
    if (this.#waiting.size === 0) {
      this.#clock.clearTimeout(this.#timer);
      this.#timer = undefined;
      return;
    }
    const due = Math.max(now, this.#nextDueMs());
    if (this.#timer !== undefined && this.#timer.dueMs <= due) return;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.refresh();
    }, due - now);
  }

  #nextDueMs(): number {
    let due = this.#lingering[0]?.dueMs ?? Infinity;
    for (const { arrivedMs } of this.#waiting) {
      due = Math.min(due, arrivedMs + this.#configuration.waitLimitMs);
      break;
    }
    const { first } = this.#answered;
    return first === undefined ? due : Math.min(due, first.answeredMs + ANSWERED_MS);
  }
}

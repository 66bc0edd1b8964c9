import type { Clock, Timer } from '../../base/clock/index.ts';
import { IntrusiveList } from '../../base/collections/index.ts';
import { type DispatchReading, Dispatcher, type QueueSetConfiguration } from './dispatcher.ts';
import type { Flow, LimitedRequest, Refusal, Verdict } from './queue.ts';
import type { QueueSetObserver } from './queue-set-observer.ts';

/** Seats of requests that are done, until their additional latency is over too. */
interface Lingering<F extends Flow> {
  readonly request: LimitedRequest<F>;
  readonly dueMs: number;
}

/**
 * Milliseconds for which an answer that is on its way to its client holds the seats of its request. It is how requests that
 * only compute are limited at all: they are over before the next is read. A peer that reads slower shall not take seats away.
 */
const ANSWERED_MS = 1_000;

/**
 * Gives the seats of one priority level to requests, fairly between flows (release 1.24, `fairqueuing/queueset`).
 *
 * Guarantees: seats in use never exceed the limit, but for one request that is wider than it and runs alone; each request
 * is executed or refused once; those of one queue are dispatched in order. Time is read off `clock` when something
 * happens; there is a timer only while requests wait.
 */
export class QueueSet<F extends Flow = Flow> {
  readonly #clock: Clock;
  readonly #observer: QueueSetObserver<F>;
  readonly #dispatcher: Dispatcher<F>;
  #configuration: QueueSetConfiguration;
  #executing = 0;
  #seatsInUse = 0;
  /** All that wait, in order of arrival. */
  readonly #waiting = new Set<LimitedRequest<F>>();
  /** In order of their due times. */
  #lingering: Lingering<F>[] = [];
  /** Executed, and not yet with their clients, in the order in which that came. */
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

  /** Takes effect at once; what waits keeps its place. */
  configure(configuration: QueueSetConfiguration): void {
    const now = this.#settle();
    this.#configuration = configuration;
    this.#dispatcher.configure(configuration);
    this.#dispatch(now, undefined);
    this.#arm(now);
  }

  /** `waiting`: its `onVerdict`, to be set at once, hears the rest. What executes must be `finish`ed. */
  arrive(request: LimitedRequest<F>): Verdict | 'waiting' {
    const now = this.#settle();
    request.arrivedMs = now;
    if (this.#closed) return this.#refuse(request, 'cancelled', now);
    const { queuing, concurrencyLimit } = this.#configuration;
    if (queuing === undefined) {
      if (!this.#hasRoomFor(request)) return this.#refuse(request, 'concurrency-limit', now);
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
      return this.#refuse(request, 'queue-full', now);
    this.#wait(request, now);
    this.#dispatch(now, request);
    this.#arm(now);
    return request.state === 'executing' ? 'execute' : 'waiting';
  }

  /** The client of a waiting request has gone. False when it waits no more: its verdict has been given. */
  leave(request: LimitedRequest<F>): boolean {
    if (!this.#waiting.has(request)) return false;
    const now = this.#settle();
    // It may just have been refused for its age, or dispatched.
    if (!this.#waiting.has(request)) return false;
    this.#unqueue(request, now);
    request.onVerdict = undefined;
    this.#refuse(request, 'cancelled', now);
    this.#dispatch(now, undefined);
    this.#arm(now);
    return true;
  }

  /** It has been served; its seats are free when the answer is out, which `finish` says, or a second later. */
  answered(request: LimitedRequest<F>): void {
    if (request.state !== 'executing') return;
    const now = this.#clock.monotonic();
    request.answeredMs = now;
    this.#answered.delete(request);
    this.#answered.add(request);
    if (this.#waiting.size > 0) this.#arm(now);
  }

  /** Its seats are free; no effect when they are already. */
  finish(request: LimitedRequest<F>): void {
    const now = this.#settle();
    // It may have been ended a moment ago, because its answer is slow.
    if (request.state !== 'executing') return;
    this.#end(request, now);
    this.#dispatch(now, undefined);
    this.#arm(now);
  }

  /** Brings everything up to the present time: what is shown is true then. */
  refresh(): void {
    const now = this.#settle();
    this.#dispatch(now, undefined);
    this.#arm(now);
  }

  /** Refuses what waits and whatever comes. */
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

  #refuse(request: LimitedRequest<F>, why: Refusal, now: number): 'reject' {
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

  /** Takes back what has fallen due since something happened last, each at its time. Returns the present. */
  #settle(): number {
    const now = this.#clock.monotonic();
    if (this.#lingering.length > 0 || (this.#answered.size > 0 && this.#isPressed())) this.#expire(now);
    this.#dispatcher.advanceTo(now);
    for (const request of this.#waiting) {
      if (request.arrivedMs + this.#configuration.waitLimitMs > now) break;
      this.#dismiss(request, 'time-out', now);
    }
    return now;
  }

  /** Whether seats matter to anybody now. */
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

  #dismiss(request: LimitedRequest<F>, why: Refusal, now: number): void {
    this.#unqueue(request, now);
    this.#refuse(request, why, now);
    this.#tell(request, 'reject');
  }

  #tell(request: LimitedRequest<F>, verdict: Verdict): void {
    const { onVerdict } = request;
    request.onVerdict = undefined;
    onVerdict?.(verdict);
  }

  /** As many as there are seats for. `arriving` is told by what `arrive` returns. */
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
      if (request !== arriving) this.#tell(request, 'execute');
    }
  }

  /** While anything waits, a timer is armed for when seats or patience run out next. */
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

import type { Clock, Timer } from '../../base/clock/index.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import type { AuditEvent } from './event.ts';

export interface BatchingOptions {
  readonly backend: AuditBackend;
  readonly clock: Clock;
  readonly lost: ReportLost;
  /** Events that wait at most; those that come then are lost. */
  readonly bufferSize: number;
  /** Events in a batch at most. */
  readonly maxSize: number;
  /** Milliseconds until a batch is sent that is not full. */
  readonly maxWaitMs: number;
  /** Batches a second in the long run, and at once before that holds; undefined: no limit. */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  /** Send a batch while others are still under way; otherwise one after another, in order. */
  readonly concurrent: boolean;
}

/** Batches under way at most, so that a peer that hangs does not fill the memory. */
const MAX_UNDER_WAY = 100;

/** Collects events and hands them on in batches; no request waits for it. What waits when it stops is sent first. */
export function createBatching(options: BatchingOptions): AuditBackend {
  return new Batching(options);
}

class Batching implements AuditBackend {
  readonly name = 'audit buffer';
  readonly #options: BatchingOptions;
  readonly #waiting: AuditEvent[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #bucket: TokenBucket | undefined;
  #due = false;
  #timer: Timer | undefined;
  #throttled: Timer | undefined;
  #stopped = false;

  constructor(options: BatchingOptions) {
    this.#options = options;
    const { throttle, clock } = options;
    this.#bucket = throttle && new TokenBucket(throttle.qps, throttle.burst, clock);
  }

  process(events: readonly AuditEvent[]): boolean {
    const { bufferSize, lost } = this.#options;
    const room = this.#stopped ? 0 : Math.max(0, bufferSize - this.#waiting.length);
    this.#waiting.push(...events.slice(0, room));
    if (events.length > room)
      lost(
        'buffered',
        new Error(this.#stopped ? 'audit backend shut down' : 'audit buffer queue blocked'),
        events.slice(room),
      );
    this.#send();
    return true;
  }

  start(): Promise<void> {
    return this.#options.backend.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clear();
    const { backend, maxSize, concurrent } = this.#options;
    if (!concurrent) await Promise.all(this.#underWay);
    while (this.#waiting.length > 0) {
      const sent = this.#hand(this.#waiting.splice(0, maxSize));
      if (!concurrent) await sent;
    }
    // What retries is told to hurry by the stop of its own back end.
    await Promise.all([...this.#underWay, backend.stop()]);
  }

  /** Whatever is full or due, as far as the limits allow. */
  #send(): void {
    const { maxSize, concurrent } = this.#options;
    const limit = concurrent ? MAX_UNDER_WAY : 1;
    while (!this.#stopped && this.#isReady() && this.#underWay.size < limit && this.#isAllowed()) {
      this.#due = false;
      this.#options.clock.clearTimeout(this.#timer);
      this.#timer = undefined;
      void this.#hand(this.#waiting.splice(0, maxSize));
    }
    this.#arm();
  }

  #isReady(): boolean {
    return this.#waiting.length >= this.#options.maxSize || (this.#due && this.#waiting.length > 0);
  }

  #isAllowed(): boolean {
    const waitMs = this.#bucket?.take() ?? 0;
    if (waitMs === 0) return true;
    this.#throttled ??= this.#options.clock.setTimeout(() => {
      this.#throttled = undefined;
      this.#send();
    }, waitMs);
    return false;
  }

  #arm(): void {
    if (this.#stopped || this.#due || this.#waiting.length === 0) return;
    this.#timer ??= this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      this.#due = true;
      this.#send();
    }, this.#options.maxWaitMs);
  }

  #hand(batch: readonly AuditEvent[]): Promise<unknown> {
    const outcome = this.#options.backend.process(batch);
    if (typeof outcome === 'boolean') return Promise.resolve();
    const done = this.#settled(outcome, batch).finally(() => {
      this.#underWay.delete(done);
      this.#send();
    });
    this.#underWay.add(done);
    return done;
  }

  async #settled(outcome: Promise<boolean>, batch: readonly AuditEvent[]): Promise<void> {
    try {
      await outcome;
    } catch (thrown) {
      this.#options.lost('buffered', thrown, batch);
    }
  }

  #clear(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#options.clock.clearTimeout(this.#throttled);
    this.#timer = undefined;
    this.#throttled = undefined;
  }
}

/** Lets so many through a second in the long run, and so many at once. */
class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(qps: number, burst: number, clock: Clock) {
    this.#qps = qps;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#atMs = clock.monotonic();
  }

  /** Takes one: 0, or milliseconds until there is one to take. */
  take(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#atMs) / 1000) * this.#qps);
    this.#atMs = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / this.#qps) * 1000);
    this.#tokens -= 1;
    return 0;
  }
}

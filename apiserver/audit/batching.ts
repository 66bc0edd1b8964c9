import type { Clock, Timer } from '../../base/clock/index.ts';
import type { AuditBackend, ReportLost } from './backend.ts';
import type { AuditEvent } from './event.ts';

/** Back end, sizes and rate of an audit buffer. */
export interface BatchingOptions {
  readonly backend: AuditBackend;
  readonly clock: Clock;
  readonly lost: ReportLost;
  /** Maximum number of waiting events; events that arrive while the buffer is full are lost. */
  readonly bufferSize: number;
  /** Maximum number of events in a batch. */
  readonly maxSize: number;
  /**
   * Maximum time in milliseconds that an event waits for its batch to fill; then the batch is sent as it is.
   */
  readonly maxWaitMs: number;
  /**
   * Maximum sustained rate in batches per second, and size of the initial burst in batches. Undefined if the
   * rate is not limited.
   */
  readonly throttle?: { readonly qps: number; readonly burst: number };
  /** True to send a batch while others are in flight; false to send them one after another, in order. */
  readonly concurrent: boolean;
}

/** Maximum number of batches in flight, so that a receiver that hangs does not exhaust memory. */
const MAX_UNDER_WAY = 100;

/**
 * Creates a buffer that collects events and forwards them in batches, so that no request waits for the back
 * end. `stop` sends the waiting events first.
 */
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
    // A back end that is retrying shortens its pauses once its own `stop` is called.
    await Promise.all([...this.#underWay, backend.stop()]);
  }

  /** Sends every batch that is full or due, within the limits on rate and concurrency. */
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
    const done = this.#reportFailure(outcome, batch).finally(() => {
      this.#underWay.delete(done);
      this.#send();
    });
    this.#underWay.add(done);
    return done;
  }

  async #reportFailure(outcome: Promise<boolean>, batch: readonly AuditEvent[]): Promise<void> {
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

/** Token bucket that grants `burst` tokens at once and `qps` tokens per second in the long run. */
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

  /** Removes one token and returns 0, or returns the milliseconds until a token is available. */
  take(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#atMs) / 1000) * this.#qps);
    this.#atMs = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / this.#qps) * 1000);
    this.#tokens -= 1;
    return 0;
  }
}

import type { Clock, Timer } from '../../base/clock/index.ts';
import type { BodySink } from '../../base/http/index.ts';
import type { PassingEvent } from '../plan/matching.ts';
import type { Strike } from '../plan/strikes.ts';
import type { ClientProcess } from './client-process.ts';
import { expiredEvent } from './refusals.ts';
import { createFrameSplitter, readEvent } from './watch-frames.ts';

export interface FaultyWatchOptions {
  /** The client's side of the watch. */
  readonly target: BodySink;
  /**
   * True if frames are JSON lines. Frames of other formats are forwarded unchanged; only breaks and silence
   * can be injected.
   */
  readonly isJson: boolean;
  readonly clock: Clock;
  readonly decide: (event: PassingEvent) => Strike | undefined;
  /** Breaks the client's connection. */
  readonly drop: () => void;
  readonly process?: ClientProcess;
}

/** An outgoing item: bytes, a break, or the end. */
interface Leaving {
  readonly item: Uint8Array | 'break' | 'end';
  readonly dueMs: number;
}

/** Maximum number of delayed bytes. A watch that exceeds this limit breaks, so that memory use is bounded. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;
const OPEN: PassingEvent = { type: 'OPEN', namespace: '', name: '' };

/** Creates a sink between the server and the client of a watch. It applies the faults of a plan. */
export function createFaultyWatch(options: FaultyWatchOptions): BodySink {
  const watch = new FaultyWatch(options);
  watch.open();
  return watch;
}

class FaultyWatch implements BodySink {
  readonly #options: FaultyWatchOptions;
  readonly #frames = createFrameSplitter();
  readonly #leaving: Leaving[] = [];
  readonly #closing: (() => void)[] = [];
  #heldBytes = 0;
  #heldUntilMs = 0;
  #timer: Timer | undefined;
  /** True if all further events are dropped. */
  #isDropping = false;
  #closed = false;
  /** True if the client reads as fast as events are written. */
  #accepts = true;

  constructor(options: FaultyWatchOptions) {
    this.#options = options;
    options.target.onClose(() => this.#close());
  }

  get closed(): boolean {
    return this.#closed;
  }

  open(): void {
    const strike = this.#options.decide(OPEN);
    if (strike !== undefined) this.#suffer(strike, undefined);
  }

  write(chunk: Uint8Array): boolean {
    if (this.#closed) return false;
    if (this.#isDropping) return true;
    if (!this.#options.isJson) this.#take(chunk, { type: 'MODIFIED', namespace: '', name: '' });
    else
      for (const frame of this.#frames.push(chunk)) {
        if (this.#isDropping || this.#closed) break;
        this.#take(frame, readEvent(frame));
      }
    return this.#accepts;
  }

  onDrain(run: () => void): void {
    this.#options.target.onDrain(run);
  }

  onClose(run: () => void): void {
    if (this.#closed) run();
    else this.#closing.push(run);
  }

  end(): void {
    if (this.#isDropping || this.#closed) return;
    const rest = this.#frames.rest();
    if (rest.length > 0) this.#send(rest);
    this.#send('end');
    this.#isDropping = true;
  }

  cut(): void {
    if (!this.#isDropping && !this.#closed) this.#send('break');
    this.#isDropping = true;
  }

  #take(frame: Uint8Array, event: PassingEvent | undefined): void {
    const strike = event === undefined ? undefined : this.#options.decide(event);
    if (strike === undefined) this.#send(frame);
    else this.#suffer(strike, frame);
  }

  /** Applies a fault to an event. `frame` is undefined at the start of a watch. */
  #suffer(strike: Strike, frame: Uint8Array | undefined): void {
    const { isJson, clock } = this.#options;
    const lastsMs = strike.lastsMs ?? 0;
    switch (strike.fault) {
      case 'cut-watch':
        return this.#break();
      case 'ended-watch':
        this.#send('end');
        this.#isDropping = true;
        return undefined;
      case 'silent-watch':
        this.#leaving.length = 0;
        this.#isDropping = true;
        if (strike.lastsMs !== undefined) this.#wait(strike.lastsMs, () => this.#break());
        return undefined;
      case 'expired-watch':
        // Events until the error are dropped. The client finds their changes in its next list.
        this.#isDropping = true;
        if (!isJson) return this.#break();
        return this.#wait(lastsMs, () => {
          this.#put(expiredEvent);
          this.#finish();
        });
      case 'crash':
        this.#options.process?.crash(lastsMs);
        return this.#break();
      case 'pause':
        this.#options.process?.pause(lastsMs);
        if (frame !== undefined) this.#send(frame);
        return undefined;
      case 'late-events':
        this.#heldUntilMs = Math.max(this.#heldUntilMs, clock.monotonic() + lastsMs);
        if (frame !== undefined) this.#send(frame);
        return undefined;
      case 'repeated-event':
        if (frame === undefined) return undefined;
        this.#send(frame);
        // Repeating a part of a frame that is not JSON would corrupt the stream.
        if (isJson) this.#send(frame, lastsMs);
        return undefined;
      default:
        if (frame !== undefined) this.#send(frame);
        return undefined;
    }
  }

  /**
   * Sends an item after all earlier ones. A delay also applies to later items, because a watch keeps its
   * order.
   */
  #send(item: Leaving['item'], delayMs = 0): void {
    const nowMs = this.#options.clock.monotonic();
    const lastMs = this.#leaving.at(-1)?.dueMs ?? 0;
    const dueMs = Math.max(nowMs + delayMs, lastMs, this.#heldUntilMs);
    if (this.#leaving.length === 0 && dueMs <= nowMs) return this.#deliver(item);
    this.#leaving.push({ item, dueMs });
    if (item instanceof Uint8Array) this.#heldBytes += item.length;
    if (this.#heldBytes > MOST_HELD_BYTES) return this.#break();
    if (this.#leaving.length === 1) this.#wait(dueMs - nowMs, () => this.#deliverDue());
  }

  #deliverDue(): void {
    const { clock } = this.#options;
    for (let first = this.#leaving[0]; first !== undefined; first = this.#leaving[0]) {
      const leftMs = first.dueMs - clock.monotonic();
      if (leftMs > 0) return this.#wait(leftMs, () => this.#deliverDue());
      this.#leaving.shift();
      if (first.item instanceof Uint8Array) this.#heldBytes -= first.item.length;
      this.#deliver(first.item);
    }
  }

  #deliver(item: Leaving['item']): void {
    if (item === 'break') this.#break();
    else if (item === 'end') this.#finish();
    else this.#put(item);
  }

  #put(bytes: Uint8Array): void {
    if (this.#closed) return;
    const waited = !this.#accepts;
    this.#accepts = this.#options.target.write(bytes);
    if (!this.#accepts && !waited) this.#options.target.onDrain(() => (this.#accepts = true));
  }

  #wait(ms: number, run: () => void): void {
    const { clock } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(
      () => {
        if (!this.#closed) run();
      },
      Math.max(0, ms),
    );
  }

  #break(): void {
    this.#options.drop();
    this.#finish();
  }

  #finish(): void {
    if (!this.#options.target.closed) this.#options.target.end();
    this.#close();
  }

  /** Ends the server's side, because the client disconnected or has received the whole stream. */
  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leaving.length = 0;
    this.#options.clock.clearTimeout(this.#timer);
    for (const run of this.#closing.splice(0)) run();
  }
}

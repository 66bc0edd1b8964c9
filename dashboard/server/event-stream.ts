import type { Clock, Timer } from '../../base/clock/index.ts';
import { type BodySink, type HttpResponse, textResponse } from '../../base/http/index.ts';

export interface EventStreams {
  /**
   * Answers with server-sent events (HTML Living Standard, section 9.2): what `next` gives, at once and then every
   * `everyMs`; nothing where it gives undefined. A reader that is slow gets fewer, never more than it can take.
   */
  open(next: () => Promise<object | undefined>): HttpResponse;
  /** Ends all of them. */
  close(): void;
}

/** Streams at one time; one more is answered with 429. */
const MOST = 200;
const TOO_MANY = `${MOST} streams of the journal are open, which is as many as there may be\n`;
/** A comment is sent this often when there is nothing to say, so that dead connections are found. */
const IDLE_MS = 15_000;

const bytes = (text: string): Uint8Array => Buffer.from(text);

export function createEventStreams(clock: Clock, everyMs: number): EventStreams {
  const streams = new Set<BodySink>();
  let closed = false;
  return {
    open(next) {
      if (closed || streams.size >= MOST) return textResponse(429, TOO_MANY, { 'retry-after': '5' });
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
        body: (sink) => {
          streams.add(sink);
          const stream = new EventStream(sink, { clock, everyMs, next });
          sink.onClose(() => {
            stream.stop();
            streams.delete(sink);
          });
          stream.start();
        },
      };
    },
    close() {
      closed = true;
      for (const sink of streams) sink.end();
    },
  };
}

interface EventSource {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly next: () => Promise<object | undefined>;
}

class EventStream {
  readonly #sink: BodySink;
  readonly #source: EventSource;
  #timer: Timer | undefined;
  #flowing = true;
  #saidMs: number;

  constructor(sink: BodySink, source: EventSource) {
    this.#sink = sink;
    this.#source = source;
    this.#saidMs = source.clock.monotonic();
  }

  start(): void {
    void this.#tick();
  }

  stop(): void {
    this.#source.clock.clearTimeout(this.#timer);
  }

  async #tick(): Promise<void> {
    const { clock, everyMs, next } = this.#source;
    try {
      const value = this.#flowing ? await next() : undefined;
      if (this.#sink.closed) return;
      if (value !== undefined) this.#say(`data: ${JSON.stringify(value)}\n\n`);
      else if (this.#flowing && clock.monotonic() - this.#saidMs >= IDLE_MS) this.#say(': nothing new\n\n');
    } catch {
      // What cannot be told now may be told at the next turn; the reader sees that nothing comes.
    }
    if (!this.#sink.closed) this.#timer = clock.setTimeout(() => void this.#tick(), everyMs);
  }

  #say(text: string): void {
    this.#saidMs = this.#source.clock.monotonic();
    this.#flowing = this.#sink.write(bytes(text));
    if (!this.#flowing)
      this.#sink.onDrain(() => {
        this.#flowing = true;
      });
  }
}

import type { Clock, Timer } from '../../base/clock/index.ts';
import { type BodySink, type HttpResponse, textResponse } from '../../base/http/index.ts';

/** All open streams of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export interface EventStreams {
  /**
   * Responds with a stream that sends the result of `next` immediately and then every `everyMs` milliseconds.
   * An undefined result is not sent. A slow client misses results, so that no buffer fills up.
   */
  open(next: () => Promise<object | undefined>): HttpResponse;
  /** Ends all streams and rejects new ones. */
  close(): void;
}

/** Maximum number of open streams. Further requests receive 429. */
const MAX_STREAMS = 200;
const TOO_MANY = `too many open journal streams: at most ${MAX_STREAMS}, retry later\n`;
/**
 * Time in milliseconds without a result after which a comment is sent, so that dead connections are detected.
 */
const IDLE_MS = 15_000;

const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Creates a set of streams with a common period. */
export function createEventStreams(clock: Clock, everyMs: number): EventStreams {
  const streams = new Set<BodySink>();
  let closed = false;
  return {
    open(next) {
      if (closed || streams.size >= MAX_STREAMS) return textResponse(429, TOO_MANY, { 'retry-after': '5' });
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
  #sentMs: number;

  constructor(sink: BodySink, source: EventSource) {
    this.#sink = sink;
    this.#source = source;
    this.#sentMs = source.clock.monotonic();
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
      if (value !== undefined) this.#send(`data: ${JSON.stringify(value)}\n\n`);
      else if (this.#flowing && clock.monotonic() - this.#sentMs >= IDLE_MS) this.#send(': nothing new\n\n');
    } catch {
      // If `next` fails, it may succeed in the next period. If it does not, the client's idle timeout reports
      // the problem.
    }
    if (!this.#sink.closed) this.#timer = clock.setTimeout(() => void this.#tick(), everyMs);
  }

  #send(text: string): void {
    this.#sentMs = this.#source.clock.monotonic();
    this.#flowing = this.#sink.write(bytes(text));
    if (!this.#flowing)
      this.#sink.onDrain(() => {
        this.#flowing = true;
      });
  }
}

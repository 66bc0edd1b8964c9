import type { Clock, Timer } from '../../base/clock/clock.ts';
import type { BodySink, HttpResponse } from '../../base/http/message.ts';

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
/** A comment is sent this often when there is nothing to say, so that dead connections are found. */
const IDLE_MS = 15_000;

const bytes = (text: string): Uint8Array => Buffer.from(text);

export function createEventStreams(clock: Clock, everyMs: number): EventStreams {
  const streams = new Set<BodySink>();
  let closed = false;

  const run = (sink: BodySink, next: () => Promise<object | undefined>): void => {
    let timer: Timer | undefined;
    let flowing = true;
    let saidMs = clock.monotonic();
    const say = (text: string): void => {
      saidMs = clock.monotonic();
      flowing = sink.write(bytes(text));
      if (!flowing) sink.onDrain(() => (flowing = true));
    };
    const tick = async (): Promise<void> => {
      try {
        const value = flowing ? await next() : undefined;
        if (sink.closed) return;
        if (value !== undefined) say(`data: ${JSON.stringify(value)}\n\n`);
        else if (flowing && clock.monotonic() - saidMs >= IDLE_MS) say(': nothing new\n\n');
      } catch {
        // What cannot be told now may be told at the next turn; the reader sees that nothing comes.
      }
      if (!sink.closed) timer = clock.setTimeout(() => void tick(), everyMs);
    };
    sink.onClose(() => {
      clock.clearTimeout(timer);
      streams.delete(sink);
    });
    void tick();
  };

  return {
    open(next) {
      if (closed || streams.size >= MOST)
        return {
          status: 429,
          headers: { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '5' },
          body: bytes(`${MOST} streams of the journal are open, which is as many as there may be\n`),
        };
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
        body: (sink) => {
          streams.add(sink);
          run(sink, next);
        },
      };
    },
    close() {
      closed = true;
      for (const sink of streams) sink.end();
    },
  };
}

import {
  type BodySink,
  BodyTooLarge,
  type HttpBody,
  type HttpHandler,
  type HttpHeaders,
  type HttpPeer,
  type HttpRequest,
} from '../../base/http/message.ts';
import { createAnswerHeaders, toHttpHeaders } from '../../base/http/plain-headers.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { messageOf } from '../../base/errors/coded.ts';
import { ClientError } from './client-error.ts';
import { type LinkedSignal, linkSignals, onAbort, orAborted } from './deadline.ts';
import { type Transport, type TransportRequest, type TransportResponse, WholeBody } from './transport.ts';

export interface InMemoryTransportOptions {
  readonly handler: HttpHandler;
  /** Sent with every request: `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Dates the answers, as a listener does. Default: they have no date. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Whom the server sees. Default an address and no certificate. */
  readonly peer?: HttpPeer;
  /** Bytes a streamed body may run ahead of its reader before the writer is held back. Default 64 KiB. */
  readonly highWaterBytes?: number;
}

/**
 * A server in the same process, without sockets: the same bytes, the same back-pressure, the same ends. Uses no timer
 * and no event loop turn of its own, so what happens follows from the order of calls alone.
 */
export function createInMemoryTransport(options: InMemoryTransportOptions): Transport {
  const { handler, peer = { address: '127.0.0.1' }, highWaterBytes = 64 * 1024 } = options;
  const closing = linkSignals();
  const own = toHttpHeaders(options.headers ?? {});
  const headersOf = createAnswerHeaders(options.clock);

  return {
    async send(request) {
      const link = linkSignals(request.signal, closing);
      try {
        link.throwIfAborted();
        const answered = handler(new MemoryRequest(request, toHttpHeaders(request.headers, own), link, peer));
        const { status, headers, body } =
          answered instanceof Promise ? await orAborted(answered, link) : answered;
        const received = (read: TransportResponse['body']): TransportResponse => ({
          status,
          headers: headersOf(headers),
          body: read,
        });
        if (!(body instanceof Uint8Array)) return received(readBody(body, highWaterBytes, link));
        link.release();
        return received(new WholeBody(body));
      } catch (thrown) {
        link.release();
        link.throwIfAborted();
        throw new ClientError('ERR_CONNECTION', `the server failed: ${messageOf(thrown)}`, { cause: thrown });
      }
    },
    close() {
      closing.abort(new ClientError('ERR_CLOSED', 'the transport was closed'));
      return Promise.resolve();
    },
  };
}

/** A request as the server reads it. A class: an accessor in a literal is defined anew each time. */
class MemoryRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpHeaders;
  readonly cancellation: LinkedSignal;
  readonly peer: HttpPeer;
  readonly #request: TransportRequest;

  constructor(request: TransportRequest, headers: HttpHeaders, link: LinkedSignal, peer: HttpPeer) {
    this.method = request.method;
    this.url = request.path;
    this.headers = headers;
    this.cancellation = link;
    this.peer = peer;
    this.#request = request;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  body(limitBytes: number): Promise<Uint8Array> {
    return bodyOf(this.#request, limitBytes);
  }

  drop(): void {
    this.cancellation.abort(new ClientError('ERR_CONNECTION', 'the server broke the connection off'));
  }
}

function bodyOf({ body = NONE }: TransportRequest, limitBytes: number): Promise<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return bytes.length > limitBytes ? Promise.reject(new BodyTooLarge(limitBytes)) : Promise.resolve(bytes);
}

const NONE = new Uint8Array();

/** The body as the client's loop sees it. A loop that is left early hangs up: the server's signal aborts. */
async function* readBody(
  body: Exclude<HttpBody, Uint8Array>,
  highWaterBytes: number,
  link: LinkedSignal,
): AsyncGenerator<Uint8Array> {
  let whole = false;
  try {
    if (typeof body === 'function') yield* readSink(body, highWaterBytes, link);
    else yield* body;
    whole = true;
  } finally {
    if (!whole) link.abort(new ClientError('ERR_CLOSED', 'the reader hung up'));
    link.release();
  }
}

async function* readSink(
  produce: (sink: BodySink) => void,
  highWaterBytes: number,
  link: LinkedSignal,
): AsyncGenerator<Uint8Array> {
  const pipe = createPipe(highWaterBytes);
  const release = onAbort(link, () => pipe.close());
  try {
    if (link.aborted) pipe.close();
    produce(pipe.sink);
    for (;;) {
      const chunk = await pipe.read();
      if (link.aborted) throw link.reason;
      if (chunk === undefined) return;
      yield chunk;
    }
  } finally {
    release();
    pipe.close();
  }
}

/** A bounded queue of bytes between one writer and one reader. */
function createPipe(highWaterBytes: number) {
  const chunks: Uint8Array[] = [];
  let heldBytes = 0;
  let ended = false;
  let closed = false;
  let wake: (() => void) | undefined;
  let drains: (() => void)[] = [];
  const closes: (() => void)[] = [];

  const run = (callbacks: readonly (() => void)[]): void => {
    for (const callback of callbacks) queueMicrotask(callback);
  };
  const awaken = (): void => {
    wake?.();
    wake = undefined;
  };
  const close = (): void => {
    if (closed) return;
    closed = true;
    chunks.length = 0;
    drains = [];
    run(closes.splice(0));
    awaken();
  };
  const sink: BodySink = {
    write(chunk) {
      if (closed || ended) return false;
      chunks.push(chunk);
      heldBytes += chunk.length;
      awaken();
      return heldBytes < highWaterBytes;
    },
    onDrain(callback) {
      if (closed) return;
      if (heldBytes < highWaterBytes) run([callback]);
      else drains.push(callback);
    },
    onClose(callback) {
      if (closed) run([callback]);
      else closes.push(callback);
    },
    end() {
      ended = true;
      awaken();
    },
    get closed() {
      return closed;
    },
  };
  const read = async (): Promise<Uint8Array | undefined> => {
    while (!closed && !ended && chunks.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const chunk = chunks.shift();
    if (chunk === undefined) return undefined;
    heldBytes -= chunk.length;
    if (heldBytes < highWaterBytes) run(drains.splice(0));
    return chunk;
  };
  return { sink, read, close };
}

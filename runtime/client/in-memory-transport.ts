import {
  type BodySink,
  BodyTooLarge,
  type HttpBody,
  type HttpHandler,
  type HttpHeaders,
  type HttpPeer,
  type HttpRequest,
  createAnswerHeaders,
  toHttpHeaders,
} from '../../base/http/index.ts';
import { type LinkedSignal, linkSignals, onAbort, orAborted } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { ClientError } from './client-error.ts';
import { type Transport, type TransportRequest, type TransportResponse, WholeBody } from './transport.ts';

/** Options of `createInMemoryTransport`. */
export interface InMemoryTransportOptions {
  readonly handler: HttpHandler;
  /** Headers sent with every request, such as `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Source of the `Date` header of responses. Default: responses without a date. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Peer address that the server receives. Default: 127.0.0.1 without a certificate. */
  readonly peer?: HttpPeer;
  /** Maximum number of bytes buffered per streamed body before the writer must wait. Default 64 KiB. */
  readonly highWaterBytes?: number;
}

/**
 * Creates a transport to a server in the same process. It uses no sockets, but the same bytes and
 * back-pressure. It uses no timers, so results depend only on the order of calls.
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

/**
 * A request as the server receives it. A class, because an object literal would define its accessors again
 * for each request.
 */
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
    this.cancellation.abort(new ClientError('ERR_CONNECTION', 'the server closed the connection'));
  }
}

function bodyOf({ body = NONE }: TransportRequest, limitBytes: number): Promise<Uint8Array> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return bytes.length > limitBytes ? Promise.reject(new BodyTooLarge(limitBytes)) : Promise.resolve(bytes);
}

const NONE = new Uint8Array();

/** Returns the body as a stream. Leaving the loop early aborts the server's signal. */
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
    if (!whole) link.abort(new ClientError('ERR_CLOSED', 'the reader closed the stream'));
    link.release();
  }
}

async function* readSink(
  produce: (sink: BodySink) => void,
  highWaterBytes: number,
  link: LinkedSignal,
): AsyncGenerator<Uint8Array> {
  const pipe = new Pipe(highWaterBytes);
  const release = onAbort(link, () => pipe.close());
  try {
    if (link.aborted) pipe.close();
    produce(pipe);
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

/** Queue of bytes between one writer and one reader. The writer must wait above `highWaterBytes`. */
class Pipe implements BodySink {
  readonly #highWaterBytes: number;
  readonly #chunks: Uint8Array[] = [];
  readonly #closes: (() => void)[] = [];
  #drains: (() => void)[] = [];
  #heldBytes = 0;
  #ended = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(highWaterBytes: number) {
    this.#highWaterBytes = highWaterBytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  write(chunk: Uint8Array): boolean {
    if (this.#closed || this.#ended) return false;
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.length;
    this.#awaken();
    return this.#heldBytes < this.#highWaterBytes;
  }

  onDrain(callback: () => void): void {
    if (this.#closed) return;
    if (this.#heldBytes < this.#highWaterBytes) run([callback]);
    else this.#drains.push(callback);
  }

  onClose(callback: () => void): void {
    if (this.#closed) run([callback]);
    else this.#closes.push(callback);
  }

  end(): void {
    this.#ended = true;
    this.#awaken();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks.length = 0;
    this.#drains = [];
    run(this.#closes.splice(0));
    this.#awaken();
  }

  /** Returns the next chunk, or undefined after the last chunk or `close`. */
  async read(): Promise<Uint8Array | undefined> {
    while (!this.#closed && !this.#ended && this.#chunks.length === 0)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#heldBytes -= chunk.length;
    if (this.#heldBytes < this.#highWaterBytes) run(this.#drains.splice(0));
    return chunk;
  }

  #awaken(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

function run(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) queueMicrotask(callback);
}

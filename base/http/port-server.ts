import type { MessagePort } from 'node:worker_threads';
import type { Cancellation, LateSignal } from '../async/cancellation.ts';
import { Cohort } from '../async/cohort.ts';
import { orElse, whenThere } from '../async/soon.ts';
import type { Clock } from '../clock/clock.ts';
import { messageOf } from '../errors/coded.ts';
import {
  type BodySink,
  BodyTooLarge,
  type HttpHandler,
  type HttpHeaders,
  type HttpPeer,
  type HttpRequest,
  type HttpResponse,
} from './message.ts';
import { createAnswerHeaders, toHttpHeaders } from './plain-headers.ts';
import { type Batch, type FromClient, type FromServer, Outbox, unpack } from './port-messages.ts';

/** Options of `servePort`. */
export interface PortServerOptions {
  readonly handler: HttpHandler;
  /** Peer that the handler sees. The default is an address without certificate. */
  readonly peer?: HttpPeer;
  /** Clock for the header `date` of responses, as set by a listener. By default, responses have no date. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Number of bytes buffered per streamed body before the writer is paused. The default is 64 KiB. */
  readonly highWaterBytes?: number;
}

/**
 * Maximum size in bytes of a chunked response that is sent as one message. Larger responses are sent at the
 * reader's speed.
 */
const WHOLE = 1024 * 1024;

/**
 * Serves requests of another thread over a port (see `createPortTransport`) until either side closes the
 * port. Requests that are then open are aborted, like by a disconnect.
 */
export function servePort(port: MessagePort, options: PortServerOptions): void {
  const open: (PortExchange | undefined)[] = [];
  const host: Host = {
    handler: options.handler,
    peer: options.peer ?? { address: '127.0.0.1' },
    highWaterBytes: options.highWaterBytes ?? 64 * 1024,
    headersOf: createAnswerHeaders(options.clock),
    out: new Outbox(port),
    done: (number) => void (open[number] = undefined),
  };
  const cohort = new Cohort<PortExchange>((exchange) => exchange.run());
  const take = (message: FromClient, body: Uint8Array): void => {
    if (message.kind === 'cancel') return open[message.number]?.cancel();
    if (message.kind === 'taken') return open[message.number]?.taken(message.bytes);
    const exchange = new PortExchange(message, body, host);
    open[message.number] = exchange;
    cohort.join(exchange);
  };
  port.on('message', (batch: Batch<FromClient>) => unpack(batch, take));
  port.once('close', () => {
    for (const exchange of open) exchange?.leave();
  });
}

/** State that all exchanges of a port share. */
interface Host {
  readonly handler: HttpHandler;
  readonly peer: HttpPeer;
  readonly highWaterBytes: number;
  readonly headersOf: (given: HttpResponse['headers']) => HttpResponse['headers'];
  readonly out: Outbox<FromServer>;
  done(number: number): void;
}

/** Request, and destination of its streamed response. */
class PortExchange implements HttpRequest, LateSignal, BodySink {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpHeaders;
  readonly peer: HttpPeer;
  closed = false;
  readonly #number: number;
  readonly #body: Uint8Array;
  readonly #host: Host;
  /** True if the client disconnected before the end of the response. */
  #left = false;
  #abort: AbortController | undefined;
  #untaken = 0;
  #drains: (() => void)[] = [];
  #closing: (() => void)[] = [];

  constructor(
    { number, method, path, headers }: FromClient & { readonly kind: 'request' },
    body: Uint8Array,
    host: Host,
  ) {
    this.method = method;
    this.url = path;
    this.headers = toHttpHeaders(headers);
    this.peer = host.peer;
    this.#number = number;
    this.#body = body;
    this.#host = host;
  }

  /** Created on first use; most requests never need it. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#left) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  get cancellation(): Cancellation {
    return this;
  }

  throwIfAborted(): void {
    if (this.#abort !== undefined || this.#left) this.signal.throwIfAborted();
  }

  abort(reason: Error): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  drop(): void {
    this.#break('the server closed the connection');
  }

  onClose(run: () => void): void {
    if (this.closed) run();
    else this.#closing.push(run);
  }

  body(limitBytes: number): Promise<Uint8Array> {
    const body = this.#body;
    return body.length > limitBytes ? Promise.reject(new BodyTooLarge(limitBytes)) : Promise.resolve(body);
  }

  run(): void {
    void orElse<void>(
      () => whenThere(this.#host.handler(this), (response) => this.#answer(response)),
      (thrown) => this.#break(`the server failed: ${messageOf(thrown)}`),
    );
  }

  /** Handles a cancellation by the client. */
  cancel(): void {
    this.#host.out.post({ kind: 'end', number: this.#number });
    this.leave();
  }

  /** Handles a disconnect. */
  leave(): void {
    this.#left = true;
    this.#abort?.abort();
    this.#close();
  }

  /** Handles a message that the reader has consumed `bytes` bytes. */
  taken(bytes: number): void {
    this.#untaken -= bytes;
    if (this.#untaken < this.#host.highWaterBytes) for (const run of this.#drains.splice(0)) run();
  }

  write(chunk: Uint8Array): boolean {
    if (this.closed) return false;
    this.#host.out.post({ kind: 'chunk', number: this.#number }, chunk);
    this.#untaken += chunk.length;
    return this.#untaken < this.#host.highWaterBytes;
  }

  onDrain(run: () => void): void {
    if (this.closed) return;
    if (this.#untaken < this.#host.highWaterBytes) queueMicrotask(run);
    else this.#drains.push(run);
  }

  end(): void {
    if (this.closed) return;
    this.#host.out.post({ kind: 'end', number: this.#number });
    this.#close();
  }

  cut(): void {
    this.#break('the server ended the response early');
  }

  #answer({ status, headers: given, body }: HttpResponse): void {
    if (this.closed) return;
    const { out, headersOf } = this.#host;
    const number = this.#number;
    const headers = headersOf(given);
    if (body instanceof Uint8Array || (typeof body !== 'function' && isSmall(body))) {
      out.post({ kind: 'answer', number, status, headers }, body);
      this.#close();
      return;
    }
    out.post({ kind: 'head', number, status, headers });
    if (typeof body === 'function') body(this);
    else this.#pour(body, 0);
  }

  /** Writes chunks from an index on. Pauses while the reader is slow. */
  #pour(chunks: readonly Uint8Array[], from: number): void {
    for (let at = from; at < chunks.length && !this.closed; at++)
      if (!this.write(chunks[at] ?? new Uint8Array())) return this.onDrain(() => this.#pour(chunks, at + 1));
    this.end();
  }

  #break(message: string): void {
    if (this.closed) return;
    this.#host.out.post({ kind: 'broken', number: this.#number, message });
    this.leave();
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#drains.length = 0;
    this.#host.done(this.#number);
    for (const run of this.#closing.splice(0)) run();
  }
}

function isSmall(chunks: readonly Uint8Array[]): boolean {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length <= WHOLE;
}

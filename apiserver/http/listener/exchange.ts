import { type IncomingMessage, ServerResponse as Http1Response } from 'node:http';
import type { Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { type Cancellation, type LateSignal, orElse, whenThere } from '../../../base/async/index.ts';
import type { Timer } from '../../../base/clock/index.ts';
import {
  type BodySink,
  BodyTooLarge,
  type HttpHeaders,
  type HttpPeer,
  type HttpRequest,
  type HttpResponse,
} from '../../../base/http/index.ts';
import { NOTHING, SMALL, firstBytes, pieceOf } from './body-pieces.ts';
import { type ChunkedBody, DirectResponse } from './direct-response.ts';
import { toLines, toRecord } from './response-headers.ts';
import type { Exchange, ExchangeHost } from './exchange-host.ts';
import { type ServerRequest, headOf, peerOf, rejectionOf } from './request-head.ts';

/** Response of HTTP/1.1 or HTTP/2. */
export type ServerResponse = Http2ServerResponse | Http1Response;

/** Passes one request from Node to the handler, and the handler's response back. */
export function serve(request: ServerRequest, response: ServerResponse, host: ExchangeHost): void {
  const exchange = new OpenExchange(request, response, host);
  host.opened(exchange);
  if (!exchange.reject()) host.cohort.join(exchange);
}

/**
 * Passes an upgrade request with its connection to the handler. After a 101 response, the connection is both
 * the request's stream and the response's body. Any other response ends the connection.
 */
export function serveUpgrade(
  request: IncomingMessage,
  socket: Socket,
  head: Uint8Array,
  host: ExchangeHost,
): void {
  const response = new Http1Response(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.destroySoon());
  // Node has removed its error listener. The exchange observes the close of the connection instead.
  socket.on('error', () => {});
  const exchange = new OpenExchange(request, response, host, { socket, head });
  host.opened(exchange);
  if (!exchange.reject()) exchange.run();
}

const closedEarly = (): Error => new Error('the peer closed the connection before it sent the whole body');

/** Connection that may leave HTTP, and the bytes received on it after the request. */
interface Switchable {
  readonly socket: Socket;
  readonly head: Uint8Array;
}

/** One exchange: the request, the sink of a streamed response, and the writer of a complete response. */
class OpenExchange implements HttpRequest, LateSignal, BodySink, Exchange {
  readonly method: string;
  readonly url: string;
  readonly headers: HttpHeaders;
  closed = false;
  previous: Exchange | undefined;
  next: Exchange | undefined;
  readonly #request: ServerRequest;
  readonly #response: ServerResponse;
  readonly #host: ExchangeHost;
  readonly #switchable: Switchable | undefined;
  #closing: (() => void)[] | undefined;
  #abort: AbortController | undefined;
  #streaming = false;
  #ended = false;
  #unread: Timer | undefined;
  /** Target of a streamed body: the response, or the connection once it has left HTTP. */
  #out: Http1Response | Socket;
  /** Faster writer for a streamed body. Undefined if the connection allows none. */
  #chunks: ChunkedBody | undefined;

  constructor(request: ServerRequest, response: ServerResponse, host: ExchangeHost, switchable?: Switchable) {
    this.#request = request;
    this.#response = response;
    this.#host = host;
    this.#switchable = switchable;
    this.#out = response as Http1Response;
    this.method = request.method ?? 'GET';
    const { url, headers } = headOf(request);
    this.url = url;
    this.headers = headers;
    response.on('close', () => this.#close());
  }

  get peer(): HttpPeer {
    return peerOf(this.#request);
  }

  /** The abort signal. Created on first use, as most requests never need one. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.closed && !this.#ended) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  get cancellation(): Cancellation {
    return this;
  }

  throwIfAborted(): void {
    // If no signal exists, nothing has aborted the request, unless the peer has disconnected. In that case
    // `signal` creates an aborted signal.
    if (this.#abort !== undefined || this.closed) this.signal.throwIfAborted();
  }

  abort(reason: Error): void {
    this.#abort ??= new AbortController();
    this.#abort.abort(reason);
  }

  drop(): void {
    if (this.closed) return;
    this.#destroy();
    this.#close();
  }

  body(limitBytes: number): Promise<Uint8Array> {
    const request = this.#request;
    if (request.readableEnded) return Promise.resolve(NOTHING);
    if (this.closed) return Promise.reject(closedEarly());
    const declared = Number(this.headers['content-length']?.[0] ?? 0);
    if (declared > limitBytes) {
      request.resume();
      return Promise.reject(new BodyTooLarge(limitBytes));
    }
    if (this.#switchable) return firstBytes(this.stream(), declared);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      request.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= limitBytes) chunks.push(chunk);
        else {
          chunks.length = 0;
          reject(new BodyTooLarge(limitBytes));
        }
      });
      request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks)));
      request.on('error', reject);
      request.on('close', () => {
        if (!request.readableEnded) reject(closedEarly());
      });
    });
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    if (this.#switchable) {
      const { socket, head } = this.#switchable;
      if (head.length > 0) yield head;
      yield* socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
      return;
    }
    try {
      // A reader that stops early must not close the connection, which carries the response.
      yield* this.#request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    } finally {
      this.#request.resume();
    }
  }

  /**
   * Rejects a request that another server could interpret as a different one, before the parser reads on.
   * Returns true if the request was rejected.
   */
  reject(): boolean {
    const rejection = this.#request.httpVersionMajor === 1 ? rejectionOf(this.headers) : undefined;
    if (rejection === undefined) return false;
    this.#request.resume();
    this.respond(rejection);
    return true;
  }

  run(): void {
    void orElse<void>(
      () => whenThere(this.#host.handler(this), (response) => this.respond(response)),
      (thrown) => this.fail(thrown),
    );
  }

  respond(response: HttpResponse): void {
    if (this.closed) return;
    try {
      this.#write(response);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  fail(thrown: unknown): void {
    this.#host.defect(thrown);
    if (this.closed) return;
    if (this.#response.headersSent) {
      this.#destroy();
      return;
    }
    this.#ended = true;
    this.#response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
    this.#response.end('internal server error\n');
  }

  endStream(): void {
    // A protocol that has replaced HTTP may have a closing message, which the handler sends on this signal.
    if (this.#out !== this.#response) this.#abort?.abort();
    if (this.#streaming) this.end();
    else if (!this.#response.headersSent && this.#request.httpVersionMajor === 1)
      this.#response.setHeader('connection', 'close');
  }

  isOver(connection: Socket | ServerHttp2Session): boolean {
    const request = this.#request;
    return ('stream' in request ? request.stream.session : request.socket) === connection;
  }

  // The following methods implement `BodySink`.

  write(chunk: Uint8Array): boolean {
    if (this.closed || this.#ended) return false;
    return (this.#chunks ?? this.#out).write(chunk);
  }

  onDrain(run: () => void): void {
    if (this.#chunks) this.#chunks.onDrain(run);
    else this.#out.once('drain', run);
  }

  onClose(run: () => void): void {
    if (this.closed) run();
    else (this.#closing ??= []).push(run);
  }

  cut(): void {
    if (!this.closed) this.#destroy();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leaveBody();
    this.#out.end();
    this.#runClosing();
    const { clock, unreadMs } = this.#host;
    if (!this.closed && !this.#response.writableFinished)
      this.#unread = clock.setTimeout(() => this.cut(), unreadMs);
  }

  #write({ status, headers, body }: HttpResponse): void {
    if (status === 101 && this.#switchable && typeof body === 'function') {
      this.#switch(this.#switchable.socket, headers, body);
      return;
    }
    const bodiless = this.method === 'HEAD' || status === 304 || status === 204;
    if (typeof body === 'function' && !bodiless) {
      this.#streaming = true;
      this.#observeErrors();
      this.#writeHead(status, headers, undefined);
      (this.#response as Http1Response).flushHeaders();
      if (this.#response instanceof DirectResponse) this.#chunks = this.#response.chunks();
      body(this);
      return;
    }
    const chunks = typeof body === 'function' ? [] : body instanceof Uint8Array ? [body] : body;
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    const declared = status === 304 || status === 204 ? undefined : length;
    if (!bodiless && length <= SMALL && this.#respondAtOnce(status, headers, chunks, length)) return;
    this.#writeHead(status, headers, declared);
    if (bodiless) this.#finish();
    else if (length <= SMALL) this.#finish(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
    else {
      this.#observeErrors();
      this.#pour(chunks, 0, 0);
    }
  }

  /**
   * Observes write errors of responses sent in several writes. For HTTP/2 streams, Node handles write errors.
   */
  #observeErrors(): void {
    const response = this.#response;
    if (!('stream' in response)) response.on('error', () => this.#close());
  }

  #writeHead(status: number, headers: HttpResponse['headers'], length: number | undefined): void {
    const response = this.#response;
    if ('stream' in response) response.writeHead(status, toRecord({}, headers, length));
    else response.writeHead(status, toLines(headers, length, this.#host.stopping));
  }

  /**
   * Switches the connection to another protocol. The head is written directly to the connection, as Node's
   * response object would have to be ended.
   */
  #switch(socket: Socket, headers: HttpResponse['headers'], body: (sink: BodySink) => void): void {
    this.#streaming = true;
    this.#out = socket;
    const lines = Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value) => `${name}: ${value}\r\n`),
    );
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1');
    body(this);
  }

  /**
   * Sends a small response, bypassing Node's layers for large ones, which saves half the work over HTTP/2.
   * Returns false and sends nothing if Node must send the response.
   */
  #respondAtOnce(
    status: number,
    headers: HttpResponse['headers'],
    chunks: readonly Uint8Array[],
    length: number,
  ): boolean {
    const response = this.#response;
    if (response instanceof DirectResponse) {
      const { stopping, clock } = this.#host;
      this.#ended = !stopping && response.sendWhole({ status, headers }, chunks, length, clock.now());
      return this.#ended;
    }
    if (!('stream' in response) || response.stream.destroyed || response.stream.closed) return false;
    this.#ended = true;
    this.#leaveBody();
    response.stream.respond(toRecord({ ':status': status }, headers, length));
    response.stream.end(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
    return true;
  }

  #finish(last?: Uint8Array): void {
    this.#ended = true;
    this.#leaveBody();
    const response = this.#response as Http1Response;
    if (last === undefined || last.length === 0) response.end();
    else response.end(last);
  }

  /** Writes chunks from a position on until the peer's buffer is full or no chunks are left. */
  #pour(chunks: readonly Uint8Array[], from: number, offset: number): void {
    let at = from;
    let start = offset;
    while (at < chunks.length && !this.closed) {
      const { piece, next, nextStart } = pieceOf(chunks, at, start);
      at = next;
      start = nextStart;
      if (!this.write(piece) && at < chunks.length) {
        this.onDrain(() => this.#pour(chunks, at, start));
        return;
      }
    }
    if (!this.closed) this.#finish();
  }

  /**
   * Over HTTP/2, closes the stream after the response without waiting for the remaining request body
   * (https://www.rfc-editor.org/rfc/rfc9113#section-8.1).
   */
  #leaveBody(): void {
    const response = this.#response;
    if (!('stream' in response) || this.#request.readableEnded) return;
    const { stream } = response;
    if (!stream.endAfterHeaders) stream.once('finish', () => stream.close());
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#host.clock.clearTimeout(this.#unread);
    this.#chunks?.ended();
    if (!this.#isOut()) this.#abort?.abort();
    this.#runClosing();
    this.#host.done(this);
  }

  #isOut(): boolean {
    const response = this.#response;
    if (!this.#ended) return false;
    return response.writableFinished || (response instanceof DirectResponse && response.isSent);
  }

  #runClosing(): void {
    const closing = this.#closing;
    if (closing === undefined) return;
    this.#closing = undefined;
    for (const run of closing) run();
  }

  #destroy(): void {
    if ('stream' in this.#response) this.#response.stream.close(2);
    else this.#response.destroy();
  }
}

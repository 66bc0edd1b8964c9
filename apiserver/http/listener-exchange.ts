import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse as Http1Response,
} from 'node:http';
import type { Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import {
  type Cancellation,
  type Cohort,
  type LateSignal,
  orElse,
  whenThere,
} from '../../base/async/index.ts';
import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Linked } from '../../base/collections/index.ts';
import {
  type BodySink,
  BodyTooLarge,
  type HttpHandler,
  type HttpHeaders,
  type HttpPeer,
  type HttpRequest,
  type HttpResponse,
} from '../../base/http/index.ts';
import { type ChunkedBody, Http1Answer } from './listener-answer.ts';
import { type ServerRequest, headOf, peerOf, refusalOf } from './listener-request.ts';

export type ServerResponse = Http2ServerResponse | Http1Response;

/** Large bodies are written in pieces of about this size, so that of what a slow peer reads little lies encrypted in memory. */
const PIECE = 512 * 1024;
/** Answers up to this size go out at once, in one part. */
const SMALL = 64 * 1024;
const NOTHING = new Uint8Array();

export interface Exchange extends Linked<Exchange> {
  /** Hands the request to the handler. */
  run(): void;
  /** Ends the answer when it is a stream; other answers run to their end. */
  endStream(): void;
  isOver(connection: Socket | ServerHttp2Session): boolean;
}

/** What all exchanges of a listener share. */
export interface ExchangeHost {
  readonly handler: HttpHandler;
  readonly clock: Clock;
  /** Milliseconds a peer has to read the end of a stream. */
  readonly unreadMs: number;
  /** The server stops: tell HTTP/1.1 clients that the connection ends with this answer. */
  readonly stopping: boolean;
  /** Runs the exchanges that were opened in one turn of the event loop. */
  readonly cohort: Cohort<Exchange>;
  opened(exchange: Exchange): void;
  /** The answer is out, or the peer has gone. */
  done(exchange: Exchange): void;
  defect(thrown: unknown): void;
}

/** Carries one request from Node's objects to the handler, and the answer back. */
export function serve(request: ServerRequest, response: ServerResponse, host: ExchangeHost): void {
  const exchange = new OpenExchange(request, response, host);
  host.opened(exchange);
  if (!exchange.refuse()) host.cohort.join(exchange);
}

/**
 * The same for a request for another protocol, which Node hands over with its connection. Where the answer is 101 what is
 * said over it from then on is the request's stream and the answer's body; any other answer ends it.
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
  // Node no longer listens: the exchange is told by the end of the connection.
  socket.on('error', () => {});
  const exchange = new OpenExchange(request, response, host, { socket, head });
  host.opened(exchange);
  if (!exchange.refuse()) exchange.run();
}

const goneEarly = (): Error => new Error('the peer went away before the body had come');

/** A connection that may leave HTTP, and what has already come over it. */
interface Switchable {
  readonly socket: Socket;
  readonly head: Uint8Array;
}

/** The request, the sink of a streamed answer, and the writer of a ready-made one. */
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
  /** Where a streamed body goes: the answer, or the connection once it has left HTTP. */
  #out: Http1Response | Socket;
  /** A shorter way for it. */
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

  /** Made when somebody asks: most requests never do. */
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
    // Without a signal nobody has aborted; a peer that has gone is what making one would find.
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
    if (this.closed) return Promise.reject(goneEarly());
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
        if (!request.readableEnded) reject(goneEarly());
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
      // Left alone: a reader that leaves early must not take the connection along, the answer goes over it.
      yield* this.#request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    } finally {
      this.#request.resume();
    }
  }

  /** Answers, before the parser reads on, what another server could take for another request; true where it did. */
  refuse(): boolean {
    const refusal = this.#request.httpVersionMajor === 1 ? refusalOf(this.headers) : undefined;
    if (refusal === undefined) return false;
    this.#request.resume();
    this.answer(refusal);
    return true;
  }

  run(): void {
    void orElse<void>(
      () => whenThere(this.#host.handler(this), (answer) => this.answer(answer)),
      (thrown) => this.fail(thrown),
    );
  }

  answer(answer: HttpResponse): void {
    if (this.closed) return;
    try {
      this.#write(answer);
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
    // What has left HTTP may have a good-bye of its own.
    if (this.#out !== this.#response) this.#abort?.abort();
    if (this.#streaming) this.end();
    else if (!this.#response.headersSent && this.#request.httpVersionMajor === 1)
      this.#response.setHeader('connection', 'close');
  }

  isOver(connection: Socket | ServerHttp2Session): boolean {
    const request = this.#request;
    return ('stream' in request ? request.stream.session : request.socket) === connection;
  }

  // The sink of a streamed body.

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
      this.#hearErrors();
      this.#writeHead(status, headers, undefined);
      (this.#response as Http1Response).flushHeaders();
      if (this.#response instanceof Http1Answer) this.#chunks = this.#response.chunks();
      body(this);
      return;
    }
    const chunks = typeof body === 'function' ? [] : body instanceof Uint8Array ? [body] : body;
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    const declared = status === 304 || status === 204 ? undefined : length;
    if (!bodiless && length <= SMALL && this.#answerAtOnce(status, headers, chunks, length)) return;
    this.#writeHead(status, headers, declared);
    if (bodiless) this.#finish();
    else if (length <= SMALL) this.#finish(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
    else {
      this.#hearErrors();
      this.#pour(chunks, 0, 0);
    }
  }

  /** Of answers in several writes; those of HTTP/2 go to their streams, which Node watches itself. */
  #hearErrors(): void {
    const response = this.#response;
    if (!('stream' in response)) response.on('error', () => this.#close());
  }

  #writeHead(status: number, headers: HttpResponse['headers'], length: number | undefined): void {
    const response = this.#response;
    if ('stream' in response) response.writeHead(status, toRecord({}, headers, length));
    else response.writeHead(status, toLines(headers, length, this.#host.stopping));
  }

  /** Leaves HTTP: Node's answer is not written, for it knows of none without an end. */
  #switch(socket: Socket, headers: HttpResponse['headers'], body: (sink: BodySink) => void): void {
    this.#streaming = true;
    this.#out = socket;
    const lines = Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value) => `${name}: ${value}\r\n`),
    );
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`, 'latin1');
    body(this);
  }

  /** Small answers, the most of all, go past the layers Node has for large ones: half the work over HTTP/2. */
  #answerAtOnce(
    status: number,
    headers: HttpResponse['headers'],
    chunks: readonly Uint8Array[],
    length: number,
  ): boolean {
    const response = this.#response;
    if (response instanceof Http1Answer) {
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

  /** Writes from a place in the chunks on, until the peer has had enough or there is no more. */
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

  /** Over HTTP/2 the rest of a body is not waited for once the answer is out (RFC 9113, section 8.1). */
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
    return response.writableFinished || (response instanceof Http1Answer && response.isSent);
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

/** As many bytes as were announced, or as there are. */
async function firstBytes(chunks: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let missing = length;
  if (missing > 0)
    for await (const chunk of chunks) {
      read.push(chunk.subarray(0, missing));
      missing -= chunk.length;
      if (missing <= 0) break;
    }
  return Buffer.concat(read);
}

/** The next piece: a chunk, or part of a very large one, or small chunks put together. */
function pieceOf(
  chunks: readonly Uint8Array[],
  at: number,
  start: number,
): { piece: Uint8Array; next: number; nextStart: number } {
  const first = chunks[at] ?? NOTHING;
  // Up to twice the size it goes out whole: nothing is copied, and no crumb is left behind.
  if (first.length - start >= PIECE * 2)
    return { piece: first.subarray(start, start + PIECE), next: at, nextStart: start + PIECE };
  const parts = [start === 0 ? first : first.subarray(start)];
  let length = first.length - start;
  let next = at + 1;
  for (; next < chunks.length; next++) {
    const chunk = chunks[next] ?? NOTHING;
    if (length + chunk.length > SMALL) break;
    parts.push(chunk);
    length += chunk.length;
  }
  return {
    piece: parts.length === 1 ? (parts[0] ?? NOTHING) : Buffer.concat(parts, length),
    next,
    nextStart: 0,
  };
}

/**
 * Headers as HTTP/2 takes them. Assigned one by one: a spread record that is added to afterwards gets a shape of its own in
 * every answer, which only a full garbage collection takes away.
 */
function toRecord(
  head: OutgoingHttpHeaders,
  headers: HttpResponse['headers'],
  length: number | undefined,
): OutgoingHttpHeaders {
  for (const name in headers) head[name] = headers[name] as string | string[];
  if (length !== undefined) head['content-length'] = length;
  return head;
}

/** Headers as HTTP/1.1 takes them with the least work: names and values by turns. */
function toLines(
  headers: HttpResponse['headers'],
  length: number | undefined,
  last: boolean,
): OutgoingHttpHeader[] {
  const lines: OutgoingHttpHeader[] = [];
  for (const name in headers)
    if (name !== 'content-length' || length === undefined)
      lines.push(name, headers[name] as string | string[]);
  if (length !== undefined) lines.push('content-length', length);
  if (last) lines.push('connection', 'close');
  return lines;
}

import { messageOf } from '../errors/coded.ts';
import type { BodySink, HttpBody, HttpHandler, HttpHeaders, HttpRequest } from './message.ts';
import { BodyTooLarge } from './message.ts';
import { type Outbound, OutboundError, type OutboundPeer, type OutboundRequest } from './outbound.ts';

/** Peer in the same process. */
export interface InMemoryPeer {
  readonly handler: HttpHandler;
  /** Throws for clients whose TLS handshake the peer would reject. */
  readonly admit?: (peer: OutboundPeer) => void;
}

/** Number of bytes buffered per streamed response before the writer is paused. */
const HIGH_WATER_BYTES = 64 * 1024;

/**
 * Creates a client for peers in the same process, without sockets or turns of the event loop. `peerAt`
 * returns the peer at an origin.
 */
export function createInMemoryOutbound(peerAt: (origin: string) => InMemoryPeer | undefined): Outbound {
  const closing = new AbortController();
  return {
    async send(peer, request) {
      const found = peerAt(peer.origin);
      if (found === undefined)
        throw new OutboundError('ERR_OUTBOUND_CONNECTION', `connection failed to ${peer.origin}`);
      found.admit?.(peer);
      const leaving = new AbortController();
      const given = request.signal === undefined ? [] : [request.signal];
      const signal = AbortSignal.any([closing.signal, leaving.signal, ...given]);
      signal.throwIfAborted();
      const { status, headers, body } = await answerOf(found.handler, request, signal, peer.origin);
      return {
        status,
        headers: listed(headers),
        body: request.method === 'HEAD' ? nothing() : readBody(body, signal, () => leaving.abort()),
      };
    },
    close() {
      closing.abort(new OutboundError('ERR_OUTBOUND_CLOSED', 'the server is stopping'));
      return Promise.resolve();
    },
  };
}

async function answerOf(handler: HttpHandler, request: OutboundRequest, signal: AbortSignal, origin: string) {
  try {
    return await untilAborted(Promise.resolve(handler(requestOf(request, signal, origin))), signal);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw new OutboundError(
      'ERR_OUTBOUND_CONNECTION',
      `connection failed to ${origin}: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const listed = (headers: OutboundRequest['headers']): HttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? [value] : value,
    ]),
  );

function requestOf(request: OutboundRequest, signal: AbortSignal, origin: string): HttpRequest {
  const { body = '' } = request;
  async function* stream(): AsyncGenerator<Uint8Array> {
    if (typeof body === 'string') yield Buffer.from(body);
    else if (body instanceof Uint8Array) yield body;
    else yield* body;
  }
  return {
    method: request.method,
    url: request.path,
    headers: {
      host: [new URL(origin).host],
      ...listed(request.headers),
      ...(request.upgrade !== undefined && { connection: ['Upgrade'], upgrade: [request.upgrade] }),
    },
    signal,
    peer: { address: '127.0.0.1' },
    stream,
    async body(limitBytes) {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of stream()) {
        length += chunk.length;
        if (length > limitBytes) throw new BodyTooLarge(limitBytes);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, length);
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Yields the chunks of a body. Calls `leave` if the reader leaves the loop early. */
async function* readBody(body: HttpBody, signal: AbortSignal, leave: () => void): AsyncGenerator<Uint8Array> {
  let whole = false;
  try {
    if (typeof body === 'function') yield* readSink(body, signal);
    else yield* body instanceof Uint8Array ? [body] : body;
    whole = true;
  } finally {
    if (!whole) leave();
  }
}

async function* readSink(produce: (sink: BodySink) => void, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const pipe = new Pipe();
  const close = (): void => pipe.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    if (signal.aborted) pipe.close();
    produce(pipe);
    for (let chunk = await pipe.read(); chunk !== undefined; chunk = await pipe.read()) yield chunk;
    if (signal.aborted) throw signal.reason;
  } finally {
    signal.removeEventListener('abort', close);
    pipe.close();
  }
}

/** Queue of bytes between one writer and one reader, with back-pressure. */
class Pipe implements BodySink {
  closed = false;
  readonly #chunks: Uint8Array[] = [];
  readonly #closing: (() => void)[] = [];
  #drains: (() => void)[] = [];
  #heldBytes = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  write(chunk: Uint8Array): boolean {
    if (this.closed || this.#ended) return false;
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.length;
    this.#wake?.();
    return this.#heldBytes < HIGH_WATER_BYTES;
  }

  onDrain(run: () => void): void {
    this.#drains.push(run);
  }

  onClose(run: () => void): void {
    if (this.closed) run();
    else this.#closing.push(run);
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const run of this.#closing.splice(0)) run();
    this.#wake?.();
  }

  async read(): Promise<Uint8Array | undefined> {
    while (!this.closed && !this.#ended && this.#chunks.length === 0)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const chunk = this.closed ? undefined : this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#heldBytes -= chunk.length;
    if (this.#heldBytes < HIGH_WATER_BYTES) for (const run of this.#drains.splice(0)) queueMicrotask(run);
    return chunk;
  }
}

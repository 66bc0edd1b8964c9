import {
  type BodySink,
  BodyTooLarge,
  type HttpHandler,
  type HttpPeer,
  type HttpRequest,
} from '../../base/http/index.ts';
import { writeJson } from '../../api/schema/index.ts';

/** Options of an in-memory request. */
export interface InMemoryRequest {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Body of the request. Strings and bytes are sent unchanged, any other value as JSON with its
   * `Content-Type`.
   */
  readonly body?: unknown;
  readonly peer?: HttpPeer;
  readonly signal?: AbortSignal;
}

/** Response to an in-memory request. Its body can be read once. */
export interface InMemoryResponse {
  readonly status: number;
  /** Returns the first value of a header, by lower-case name. */
  header(name: string): string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Returns the whole body. Waits for the end of a stream. */
  bytes(): Promise<Buffer>;
  text(): Promise<string>;
  json<T = unknown>(): Promise<T>;
  /** Yields the chunks of the body as they are written. Leaving the loop closes the stream. */
  chunks(): AsyncIterableIterator<Uint8Array>;
  /** Yields the parsed JSON lines of a streamed body. Leaving the loop closes the stream. */
  events<T = unknown>(): AsyncIterableIterator<T>;
}

/** Caller of a handler without a socket. */
export interface InMemoryCaller {
  request(method: string, url: string, options?: InMemoryRequest): Promise<InMemoryResponse>;
}

/**
 * Creates a caller that runs the handler in the same process without a socket, for tests and for programs
 * that embed the server.
 */
export function createInMemoryCaller(handler: HttpHandler): InMemoryCaller {
  return {
    async request(method, url, options = {}) {
      const leaving = new AbortController();
      const signal =
        options.signal === undefined ? leaving.signal : AbortSignal.any([options.signal, leaving.signal]);
      const response = await handler(requestOf(method, url, options, signal, (why) => leaving.abort(why)));
      const stream = new Chunks(() => leaving.abort());
      const { body } = response;
      if (typeof body === 'function') body(stream);
      else {
        for (const chunk of body instanceof Uint8Array ? [body] : body) stream.write(chunk);
        stream.end();
      }
      signal.addEventListener('abort', () => stream.close(), { once: true });
      const bytes = async (): Promise<Buffer> => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        return Buffer.concat(chunks);
      };
      const text = async (): Promise<string> => (await bytes()).toString('utf8');
      return {
        status: response.status,
        headers: response.headers,
        header(name) {
          const value = response.headers[name];
          return typeof value === 'string' ? value : value?.[0];
        },
        bytes,
        text,
        json: async <T>() => JSON.parse(await text()) as T,
        chunks: () => stream[Symbol.asyncIterator](),
        events: <T>() => linesOf<T>(stream),
      };
    },
  };
}

function requestOf(
  method: string,
  url: string,
  options: InMemoryRequest,
  signal: AbortSignal,
  abort: (reason: Error) => void,
): HttpRequest {
  const { body } = options;
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(raw ? (body as string) : writeJson(body));
  const given = Object.entries(options.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === 'string' ? [value] : value,
  ]);
  const headers: Record<string, readonly string[]> = {
    ...(body !== undefined && !raw ? { 'content-type': ['application/json'] } : {}),
    ...(Object.fromEntries(given) as Record<string, readonly string[]>),
  };
  return {
    method,
    url,
    headers,
    signal,
    abort,
    peer: options.peer ?? { address: '127.0.0.1' },
    body: (limitBytes) =>
      bytes.length > limitBytes ? Promise.reject(new BodyTooLarge(limitBytes)) : Promise.resolve(bytes),
  };
}

/** Sink that buffers chunks until they are read. */
class Chunks implements BodySink, AsyncIterable<Uint8Array> {
  closed = false;
  readonly #leave: () => void;
  readonly #waiting: Uint8Array[] = [];
  readonly #closing: (() => void)[] = [];
  #wake: (() => void) | undefined;
  #drain: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  write(chunk: Uint8Array): boolean {
    if (this.closed) return false;
    this.#waiting.push(chunk);
    this.#wake?.();
    return this.#waiting.length < 1024;
  }

  onDrain(run: () => void): void {
    this.#drain = run;
  }

  onClose(run: () => void): void {
    if (this.closed) run();
    else this.#closing.push(run);
  }

  end(): void {
    this.close();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const run of this.#closing.splice(0)) run();
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#waiting.shift();
        if (chunk !== undefined) {
          yield chunk;
          continue;
        }
        if (this.closed) return;
        const drain = this.#drain;
        this.#drain = undefined;
        drain?.();
        if (this.#waiting.length === 0 && !this.closed)
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.#leave();
      this.close();
    }
  }
}

async function* linesOf<T>(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      if (line.trim() !== '') yield JSON.parse(line) as T;
    }
  }
}

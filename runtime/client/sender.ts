import type { Scheme } from '../../api/kinds/index.ts';
import type { ApiError } from '../../api/status/index.ts';
import { type LinkedSignal, linkOf, linkSignals, within } from '../../base/async/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { headerOf, readText, errorOfResponse, retryAfterSeconds } from './response.ts';
import { ClientError, isClientError, toClientError } from './client-error.ts';
import type { ServerClock } from './server-clock.ts';
import type { TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Limits of retries. */
export interface RetrySettings {
  /** Maximum number of retries after responses with `Retry-After`. Default 10, as in client-go. */
  readonly retryAfter?: number;
  /** Maximum `Retry-After` in seconds; a response with a longer delay is thrown. Default 60. */
  readonly maxWaitSeconds?: number;
  /**
   * Maximum number of retries of a read after a broken connection, and of any request without a connection.
   * Default 3.
   */
  readonly reads?: number;
  /**
   * Delay in milliseconds before the first retry without a response; doubled for each further retry. Default
   * 100.
   */
  readonly readDelayMs?: number;
}

/** Maximum sizes of responses in bytes. A larger response throws `ERR_TOO_LARGE`. */
export interface ResponseLimits {
  /**
   * Maximum size of an object, a watch event or an error response. Default 32 MiB, ten times the maximum
   * request size of a server.
   */
  readonly objectBytes?: number;
  /** Maximum size of a list page or raw response. Default 512 MiB, the maximum length of a string in V8. */
  readonly listBytes?: number;
}

/** One attempt of a request, for metrics. `code` is the HTTP status or a `ClientError` code. */
export interface RequestObservation {
  readonly method: string;
  readonly path: string;
  readonly code: string;
  readonly ms: number;
  /** Time in milliseconds for which the rate limit delayed the attempt. */
  readonly waitedMs: number;
  /** The caller's signal, by which the journal attributes requests to reconciles. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `createSender`. */
export interface SenderOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bucket: TokenBucket;
  readonly headers: Readonly<Record<string, string>>;
  readonly retry: RetrySettings;
  readonly observe: (observation: RequestObservation) => void;
  readonly serverClock: ServerClock;
}

/** One request of a client. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** Maximum size of the response in bytes. For a stream, maximum size of an error response. */
  readonly limitBytes: number;
  /** Headers in addition to the headers of the client. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Request body as JSON. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** A response whose body was read in full. */
export interface ReadResponse {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly text: string;
}

/** Dependencies shared by all calls on one kind. */
export interface Calls {
  readonly sender: Sender;
  readonly scheme: Scheme;
  readonly timeoutMs: number;
  readonly limits: Required<ResponseLimits>;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  /** Served API group of `PartialObjectMetadata`. */
  readonly metaGroup: string;
}

/** A streamed response body. `close` ends the connection, even if the body was never read. */
export interface OpenStream {
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: LinkedSignal;
  close(): void;
}

/**
 * Sender of requests with a rate limit, a time limit and safe retries. Returns a 2xx response, or 304 for a
 * conditional request. Other responses are thrown as `ApiError`, failures without a response as
 * `ClientError`.
 *
 * A 429 or 503 with `Retry-After` means that the server did not execute the request, so every method is
 * retried. After a broken connection only reads are retried, because a create may have been executed although
 * its response is lost. If no connection was established, nothing was sent, and every method is retried.
 */
export interface Sender {
  exchange(call: Call): Promise<ReadResponse>;
  open(call: Call): Promise<OpenStream>;
  close(): Promise<void>;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const isRetriable = (call: Call, status: number): boolean =>
  status === 429 || status === 503 || (isRead(call.method) && status >= 500);

/** True if a request without a response may be sent again: a read, or any request that was not sent. */
const mayBeRepeated = (call: Call, thrown: unknown): boolean =>
  isClientError(thrown, 'ERR_UNREACHABLE') ||
  (isRead(call.method) && isClientError(thrown, 'ERR_CONNECTION'));

/** Status of a conditional request whose cached response is still valid (RFC 9110, section 15.4.5). */
export const NOT_MODIFIED = 304;

const isFine = (status: number): boolean => (status >= 200 && status < 300) || status === NOT_MODIFIED;

/**
 * Type of an object under construction. Assigning optional fields is faster than spreading them, which would
 * dominate the cost of a request.
 */
type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** Returns the path without its query, for messages and metrics. */
const bare = (path: string): string => {
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query);
};

const nameOf = (call: Call): string => `${call.method} ${bare(call.path)}`;

const tooLate = (call: Call): ClientError =>
  new ClientError('ERR_TIMEOUT', `${nameOf(call)} had no response within ${call.timeoutMs} ms`);

/** Creates a sender over a transport. */
export const createSender = (options: SenderOptions): Sender => new RetryingSender(options);

class RetryingSender implements Sender {
  readonly #options: SenderOptions;
  readonly #retry: Required<RetrySettings>;
  /** Default headers of requests with a body. */
  readonly #bodyHeaders: Readonly<Record<string, string>>;
  readonly #closing = linkSignals();

  constructor(options: SenderOptions) {
    this.#options = options;
    const { retryAfter = 10, maxWaitSeconds = 60, reads = 3, readDelayMs = 100 } = options.retry;
    this.#retry = { retryAfter, maxWaitSeconds, reads, readDelayMs };
    this.#bodyHeaders = { 'content-type': 'application/json', ...options.headers };
  }

  async exchange(call: Call): Promise<ReadResponse> {
    for (let tries = 0; ; tries++) {
      const answer = await this.#responseTo(call);
      if (isFine(answer.status)) return answer;
      if (!(await this.#waitAsRequested(call, answer, tries))) throw this.#errorOf(call, answer);
    }
  }

  async open(call: Call): Promise<OpenStream> {
    for (let tries = 0; ; tries++) {
      const opened = await this.#opened(call);
      if ('body' in opened) return opened;
      if (!(await this.#waitAsRequested(call, opened, tries))) throw this.#errorOf(call, opened);
    }
  }

  async close(): Promise<void> {
    if (!this.#closing.aborted) this.#closing.abort(new ClientError('ERR_CLOSED', 'the client was closed'));
    await this.#options.transport.close();
  }

  /** Sends a request, with retries, until the server responds. Throws once no further retry is permitted. */
  async #responseTo(call: Call): Promise<ReadResponse> {
    const { reads, readDelayMs } = this.#retry;
    for (let tries = 0; ; tries++) {
      const waitedMs = await this.#turn(call);
      try {
        return await this.#observed(call, waitedMs, this.#attempt(call));
      } catch (thrown) {
        if (tries >= reads || !mayBeRepeated(call, thrown)) throw thrown;
      }
      await this.#pause(readDelayMs * 2 ** tries, call.signal);
    }
  }

  /** Runs one attempt. The time limit includes the body. */
  async #attempt(call: Call): Promise<ReadResponse> {
    const { clock } = this.#options;
    const link = linkSignals(call.signal, this.#closing);
    try {
      return await within(
        clock,
        call.timeoutMs,
        link,
        () => tooLate(call),
        async () => readResponse(await this.#send(call, link, false), call),
      );
    } catch (thrown) {
      throw link.aborted ? link.reason : toClientError(thrown);
    } finally {
      link.release();
    }
  }

  /**
   * Runs one attempt and leaves the body of a successful response to the caller. Reads an error response in
   * full.
   */
  async #opened(call: Call): Promise<OpenStream | ReadResponse> {
    const waitedMs = await this.#turn(call);
    const { clock } = this.#options;
    const link = linkSignals(call.signal, this.#closing);
    try {
      const response = await this.#observed(call, waitedMs, this.#attemptHead(call, link));
      if (isFine(response.status)) return openStream(response, link);
      const answer = await within(
        clock,
        call.timeoutMs,
        link,
        () => tooLate(call),
        () => readResponse(response, call),
      );
      link.release();
      return answer;
    } catch (thrown) {
      link.release();
      throw thrown;
    }
  }

  async #attemptHead(call: Call, link: LinkedSignal): Promise<TransportResponse> {
    const { clock } = this.#options;
    try {
      return await within(
        clock,
        call.timeoutMs,
        link,
        () => tooLate(call),
        () => this.#send(call, link, true),
      );
    } catch (thrown) {
      throw link.aborted ? link.reason : toClientError(thrown);
    }
  }

  /** Sends a request and updates the server clock. */
  async #send(call: Call, signal: LinkedSignal, streaming: boolean): Promise<TransportResponse> {
    const { transport, clock, serverClock } = this.#options;
    const sentMs = clock.monotonic();
    const response = await transport.send(this.#transportRequest(call, signal, streaming));
    serverClock.observe(headerOf(response.headers, 'date'), sentMs);
    return response;
  }

  #transportRequest(call: Call, signal: LinkedSignal, streaming: boolean): TransportRequest {
    const { method, path, body, signal: caller, timeoutMs, limitBytes } = call;
    const headers = body === undefined ? this.#options.headers : this.#bodyHeaders;
    const request: Writable<TransportRequest> = {
      method,
      path,
      headers: call.headers === undefined ? headers : Object.assign({}, headers, call.headers),
      signal,
      headersTimeoutMs: timeoutMs,
      limitBytes,
    };
    if (body !== undefined) request.body = body;
    if (caller !== undefined) request.caller = caller;
    if (streaming) request.streaming = streaming;
    return request;
  }

  async #observed<T extends { readonly status: number }>(
    call: Call,
    waitedMs: number,
    work: Promise<T>,
  ): Promise<T> {
    const { clock, log, observe } = this.#options;
    const startMs = clock.monotonic();
    const note = (code: string): void => {
      const ms = clock.monotonic() - startMs;
      observe({ method: call.method, path: bare(call.path), code, ms, waitedMs, signal: call.signal });
      if (log.debugEnabled) log.debug({ method: call.method, path: call.path, code, ms }, 'request finished');
    };
    try {
      const result = await work;
      note(String(result.status));
      return result;
    } catch (thrown) {
      note(isClientError(thrown) ? thrown.code : 'aborted');
      throw thrown;
    }
  }

  /**
   * Waits as long as the server requested and returns true. Returns false if the server requested no delay or
   * a delay above the limit, or after too many retries.
   */
  async #waitAsRequested(call: Call, answer: ReadResponse, tries: number): Promise<boolean> {
    const { retryAfter, maxWaitSeconds } = this.#retry;
    if (!isRetriable(call, answer.status) || tries >= retryAfter) return false;
    const seconds = retryAfterSeconds(answer.headers, this.#options.clock.now());
    if (seconds === undefined || seconds > maxWaitSeconds) return false;
    this.#options.log.debug(
      { method: call.method, path: call.path, status: answer.status, seconds },
      'server requested a delay',
    );
    await this.#pause(seconds * 1000, call.signal);
    return true;
  }

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const link = linkSignals(signal, this.#closing);
    try {
      await sleep(this.#options.clock, ms, link.signal);
    } finally {
      link.release();
    }
  }

  /** Waits for the rate limit and returns the delay in milliseconds. */
  async #turn(call: Call): Promise<number> {
    if (call.signal !== undefined) linkOf(call.signal).throwIfAborted();
    this.#closing.throwIfAborted();
    const { bucket, clock } = this.#options;
    if (bucket.takeNow()) return 0;
    const requestedMs = clock.monotonic();
    const link = linkSignals(call.signal, this.#closing);
    try {
      await bucket.take(link.signal);
      return clock.monotonic() - requestedMs;
    } finally {
      link.release();
    }
  }

  #errorOf(call: Call, answer: ReadResponse): ApiError {
    const retryAfter = retryAfterSeconds(answer.headers, this.#options.clock.now());
    return errorOfResponse(answer.status, answer.text, retryAfter, nameOf(call));
  }
}

const readResponse = async (
  { status, headers, body }: TransportResponse,
  { limitBytes }: Call,
): Promise<ReadResponse> => ({ status, headers, text: await readText(body, limitBytes) });

const openStream = (response: TransportResponse, link: LinkedSignal): OpenStream => ({
  body: response.body,
  signal: link,
  close() {
    link.abort(new ClientError('ERR_CLOSED', 'the stream was closed'));
    link.release();
  },
});

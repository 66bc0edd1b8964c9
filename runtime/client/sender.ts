import type { Scheme } from '../../api/kinds/index.ts';
import type { ApiError } from '../../api/status/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { headerOf, readText, refusal, retryAfterSeconds } from './answer.ts';
import { ClientError, isClientError, toClientError } from './client-error.ts';
import { type LinkedSignal, linkOf, linkSignals, within } from './deadline.ts';
import type { ServerClock } from './server-clock.ts';
import type { TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Limits of retries. */
export interface RetrySettings {
  /** Retries after responses with `Retry-After`. Default 10, as in client-go. */
  readonly asked?: number;
  /** Longest `Retry-After` in seconds that is waited for. Default 60. */
  readonly longestWaitSeconds?: number;
  /** Retries of a read after a broken connection, and of any request without a connection. Default 3. */
  readonly reads?: number;
  /** Delay before the first of these retries in milliseconds, doubled for each further one. Default 100. */
  readonly readDelayMs?: number;
}

/** Maximum sizes of responses in bytes. A larger response throws `ERR_TOO_LARGE`. */
export interface AnswerLimits {
  /**
   * Maximum size of an object, a watch event or an error response. Default 32 MiB, ten times the request
   * limit of a server.
   */
  readonly objectBytes?: number;
  /** Maximum size of a list page or raw response. Default 512 MiB, the longest string that can be parsed. */
  readonly listBytes?: number;
}

/** A completed attempt, for metrics. `code` is the HTTP status or a `ClientError` code. */
export interface RequestObservation {
  readonly method: string;
  readonly path: string;
  readonly code: string;
  readonly ms: number;
  /** Delay by the rate limit before the attempt, in milliseconds. */
  readonly waitedMs: number;
  /** The caller's signal, which identifies its requests. */
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
  /** Maximum size of the response in bytes; for a stream that of an error response. */
  readonly limitBytes: number;
  /** Additional headers. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** JSON. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** A response that was read in full. */
export interface Answer {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly text: string;
}

/** Shared by all calls on one kind. */
export interface Calls {
  readonly sender: Sender;
  readonly scheme: Scheme;
  readonly timeoutMs: number;
  readonly limits: Required<AnswerLimits>;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  /** Served API group of `PartialObjectMetadata`. */
  readonly metaGroup: string;
}

/** A streamed body. `close` ends the connection, even if the body was never read. */
export interface OpenStream {
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: LinkedSignal;
  close(): void;
}

/**
 * Sends requests with a rate limit, a time limit and safe retries. Returns a 2xx response, or a 304 for a
 * conditional request. Others are thrown as `ApiError`, failures without a response as `ClientError`.
 *
 * A 429 or 503 with `Retry-After` means that the request was not executed, so every method is retried. After
 * a broken connection only reads are retried, because a lost response to a create may belong to an object
 * that exists now. Without a connection nothing was sent, and every method is retried.
 */
export interface Sender {
  exchange(call: Call): Promise<Answer>;
  open(call: Call): Promise<OpenStream>;
  close(): Promise<void>;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const notCarriedOut = (call: Call, status: number): boolean =>
  status === 429 || status === 503 || (isRead(call.method) && status >= 500);

/** True if a request without a response may be sent again: writes only if nothing was sent. */
const mayBeRepeated = (call: Call, thrown: unknown): boolean =>
  isClientError(thrown, 'ERR_UNREACHABLE') ||
  (isRead(call.method) && isClientError(thrown, 'ERR_CONNECTION'));

/** Status of a conditional request whose cached response is still valid (RFC 9110, section 15.4.5). */
export const NOT_MODIFIED = 304;

const isFine = (status: number): boolean => (status >= 200 && status < 300) || status === NOT_MODIFIED;

/** Mutable during construction: spreading optional parts costs more than the rest of a request here. */
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
  /** Headers of requests with a body. */
  readonly #bodyHeaders: Readonly<Record<string, string>>;
  readonly #closing = linkSignals();

  constructor(options: SenderOptions) {
    this.#options = options;
    const { asked = 10, longestWaitSeconds = 60, reads = 3, readDelayMs = 100 } = options.retry;
    this.#retry = { asked, longestWaitSeconds, reads, readDelayMs };
    this.#bodyHeaders = { 'content-type': 'application/json', ...options.headers };
  }

  async exchange(call: Call): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const answer = await this.#answered(call);
      if (isFine(answer.status)) return answer;
      if (!(await this.#waitAsAsked(call, answer, tries))) throw this.#refused(call, answer);
    }
  }

  async open(call: Call): Promise<OpenStream> {
    for (let tries = 0; ; tries++) {
      const opened = await this.#opened(call);
      if ('body' in opened) return opened;
      if (!(await this.#waitAsAsked(call, opened, tries))) throw this.#refused(call, opened);
    }
  }

  async close(): Promise<void> {
    if (!this.#closing.aborted) this.#closing.abort(new ClientError('ERR_CLOSED', 'the client was closed'));
    await this.#options.transport.close();
  }

  /** Retries until there is a response or the request may not be retried. */
  async #answered(call: Call): Promise<Answer> {
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

  /** Runs one attempt within the time limit, including the body. */
  async #attempt(call: Call): Promise<Answer> {
    const { clock } = this.#options;
    const link = linkSignals(call.signal, this.#closing);
    try {
      return await within(
        clock,
        call.timeoutMs,
        link,
        () => tooLate(call),
        async () => readAnswer(await this.#send(call, link, false), call),
      );
    } catch (thrown) {
      throw link.aborted ? link.reason : toClientError(thrown);
    } finally {
      link.release();
    }
  }

  /** Runs one attempt and leaves the body to the caller; an error response is read in full. */
  async #opened(call: Call): Promise<OpenStream | Answer> {
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
        () => readAnswer(response, call),
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
   * Waits as requested by the server. Returns false without a request to wait, for one that is too long, or
   * after too many retries.
   */
  async #waitAsAsked(call: Call, answer: Answer, tries: number): Promise<boolean> {
    const { asked, longestWaitSeconds } = this.#retry;
    if (!notCarriedOut(call, answer.status) || tries >= asked) return false;
    const seconds = retryAfterSeconds(answer.headers, this.#options.clock.now());
    if (seconds === undefined || seconds > longestWaitSeconds) return false;
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

  /** Waits for the rate limit; returns the delay in milliseconds. */
  async #turn(call: Call): Promise<number> {
    if (call.signal !== undefined) linkOf(call.signal).throwIfAborted();
    this.#closing.throwIfAborted();
    const { bucket, clock } = this.#options;
    if (bucket.takeNow()) return 0;
    const askedMs = clock.monotonic();
    const link = linkSignals(call.signal, this.#closing);
    try {
      await bucket.take(link.signal);
      return clock.monotonic() - askedMs;
    } finally {
      link.release();
    }
  }

  #refused(call: Call, answer: Answer): ApiError {
    const retryAfter = retryAfterSeconds(answer.headers, this.#options.clock.now());
    return refusal(answer.status, answer.text, retryAfter, nameOf(call));
  }
}

const readAnswer = async (
  { status, headers, body }: TransportResponse,
  { limitBytes }: Call,
): Promise<Answer> => ({ status, headers, text: await readText(body, limitBytes) });

const openStream = (response: TransportResponse, link: LinkedSignal): OpenStream => ({
  body: response.body,
  signal: link,
  close() {
    link.abort(new ClientError('ERR_CLOSED', 'the stream was closed'));
    link.release();
  },
});

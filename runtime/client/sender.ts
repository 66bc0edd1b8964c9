import type { Scheme } from '../../api/kinds/scheme.ts';
import type { ApiError } from '../../api/status/api-error.ts';
import { type Clock, sleep } from '../../base/clock/clock.ts';
import type { Logger } from '../../base/log/logger.ts';
import { headerOf, readText, refusal, retryAfterSeconds } from './answer.ts';
import { ClientError, isClientError, toClientError } from './client-error.ts';
import { type LinkedSignal, linkOf, linkSignals, within } from './deadline.ts';
import type { ServerClock } from './server-clock.ts';
import type { TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** How often and how long a request is tried again. */
export interface RetrySettings {
  /** Tries after answers that carry `Retry-After`. Default 10, as client-go has it. */
  readonly asked?: number;
  /** A server that asks for more seconds than this is not waited for. Default 60. */
  readonly longestWaitSeconds?: number;
  /** Tries of a read after a broken connection, and of any request that found none. Default 3. */
  readonly reads?: number;
  /** Wait before the first of these, milliseconds, then twice as long each. Default 100. */
  readonly readDelayMs?: number;
}

/** How long answers may be, bytes as they are read. One above its limit throws `ERR_TOO_LARGE`. */
export interface AnswerLimits {
  /**
   * Of an object, or a refusal. Default 32 MiB, as of an event of a watch: servers store far less, and a request that is
   * taken has a tenth of it.
   */
  readonly objectBytes?: number;
  /** Of a page of a list, or of what a raw request asks for. Default 512 MiB: no longer text can be parsed. */
  readonly listBytes?: number;
}

/** One attempt that came to its end, for metrics. `code` is the HTTP status or a `ClientError` code. */
export interface RequestObservation {
  readonly method: string;
  readonly path: string;
  readonly code: string;
  readonly ms: number;
  /** How long it waited for its turn before, under the rate limit. */
  readonly waitedMs: number;
  /** The caller's, by which it knows its own requests. */
  readonly signal?: AbortSignal | undefined;
}

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

export interface Call {
  readonly method: string;
  readonly path: string;
  /** Bytes of the answer; of a stream those of a refusal. */
  readonly limitBytes: number;
  /** Beside those of all requests. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** JSON. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly text: string;
}

/** What the verbs of one kind share. */
export interface Calls {
  readonly sender: Sender;
  readonly scheme: Scheme;
  readonly timeoutMs: number;
  readonly limits: Required<AnswerLimits>;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  /** The served group of `PartialObjectMetadata`. */
  readonly metaGroup: string;
}

/** A body that is still coming. `close` gives the connection up, also when the body was never read. */
export interface OpenStream {
  readonly body: AsyncIterable<Uint8Array>;
  readonly signal: LinkedSignal;
  close(): void;
}

/**
 * Sends requests: waits its turn, keeps the time limit, and repeats what is safe to repeat. A 2xx answer is returned, and
 * the 304 of a request with a condition; any other is thrown as `ApiError`, no answer as `ClientError`.
 *
 * An answer 429 or 503 with `Retry-After` says that the request was not carried out, so every method is repeated. A
 * broken connection says nothing: only reads are repeated, for a lost answer to a create may belong to an object that
 * exists now. Where no connection came about, nothing was sent, and every method is repeated.
 */
export interface Sender {
  exchange(call: Call): Promise<Answer>;
  open(call: Call): Promise<OpenStream>;
  close(): Promise<void>;
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';

const notCarriedOut = (call: Call, status: number): boolean =>
  status === 429 || status === 503 || (isRead(call.method) && status >= 500);

/** Whether a request without an answer may be sent again: a write only where none of it was sent. */
const mayBeRepeated = (call: Call, thrown: unknown): boolean =>
  isClientError(thrown, 'ERR_UNREACHABLE') ||
  (isRead(call.method) && isClientError(thrown, 'ERR_CONNECTION'));

/** The answer to a request with a condition that does not hold (RFC 9110, section 15.4.5): what the asker has is good. */
export const NOT_MODIFIED = 304;

const isFine = (status: number): boolean => (status >= 200 && status < 300) || status === NOT_MODIFIED;

/** While it is made. Assignment, for spreading parts that may be missing costs more than the rest of a request here. */
type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** The path without its query, for messages and metrics. */
const bare = (path: string): string => {
  const query = path.indexOf('?');
  return query < 0 ? path : path.slice(0, query);
};

const nameOf = (call: Call): string => `${call.method} ${bare(call.path)}`;

const tooLate = (call: Call): ClientError =>
  new ClientError('ERR_TIMEOUT', `${nameOf(call)} was not answered within ${call.timeoutMs} ms`);

export const createSender = (options: SenderOptions): Sender => new RetryingSender(options);

class RetryingSender implements Sender {
  readonly #options: SenderOptions;
  readonly #retry: Required<RetrySettings>;
  /** Of a request with a body. */
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

  /** Tries until there is an answer, or none and the request may not be repeated. */
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

  /** One try, whole: head and body within the time limit. */
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

  /** One try whose body is left to the caller, or the refusal, read whole. */
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

  /** Sends, and learns what time it is by the server. */
  async #send(call: Call, signal: LinkedSignal, streaming: boolean): Promise<TransportResponse> {
    const { transport, clock, serverClock } = this.#options;
    const sentMs = clock.monotonic();
    const response = await transport.send(this.#transportRequest(call, signal, streaming));
    serverClock.heard(headerOf(response.headers, 'date'), sentMs);
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

  /** Waits as the server asks; false when it does not ask, asks for too long, or has been asked often enough. */
  async #waitAsAsked(call: Call, answer: Answer, tries: number): Promise<boolean> {
    const { asked, longestWaitSeconds } = this.#retry;
    if (!notCarriedOut(call, answer.status) || tries >= asked) return false;
    const seconds = retryAfterSeconds(answer.headers, this.#options.clock.now());
    if (seconds === undefined || seconds > longestWaitSeconds) return false;
    this.#options.log.debug(
      { method: call.method, path: call.path, status: answer.status, seconds },
      'server asks to wait',
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

  /** Waits for the request's turn under the rate limit; gives how long, milliseconds. */
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

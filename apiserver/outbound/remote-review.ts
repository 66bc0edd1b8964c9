import { type Clock, backoffMs, sleep } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Outbound, OutboundError, type OutboundPeer, readOutbound } from '../../base/http/index.ts';
import type { Random } from '../../base/random/index.ts';
import { isConnectionReset, outboundReason } from './reason.ts';
import { writeJson } from '../../api/schema/index.ts';

/** Remote service that handles reviews, as described by a kubeconfig file. */
export interface Remote {
  /** Address of the service, without the client certificate and key that `credentials` returns. */
  readonly peer: Omit<OutboundPeer, 'certificate' | 'key'>;
  /** Path and query to which reviews are posted. */
  readonly path: string;
  /** Returns the credentials. Called before every request. */
  readonly credentials: () => Promise<RemoteCredentials>;
}

/** Credentials for a remote service. */
export interface RemoteCredentials {
  /** Value of the `Authorization` header. */
  readonly authorization?: string;
  /** Client certificate in PEM; `key` is its private key. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Codes of `RemoteReviewError`. */
export type RemoteReviewErrorCode = 'ERR_REVIEW_UNREACHABLE' | 'ERR_REVIEW_STATUS' | 'ERR_REVIEW_ANSWER';

/** Error for a review without a usable response. The message contains the URL, never the sent review. */
export class RemoteReviewError extends CodedError<RemoteReviewErrorCode> {
  /** True if a retry may succeed. */
  readonly transient: boolean;

  constructor(
    code: RemoteReviewErrorCode,
    message: string,
    options: { readonly transient: boolean; readonly cause?: unknown },
  ) {
    super(code, message, options);
    this.transient = options.transient;
  }
}

/** Components and limits of `createRemoteReview`. */
export interface RemoteReviewOptions {
  readonly outbound: Outbound;
  readonly remote: Remote;
  readonly clock: Clock;
  readonly random: Random;
  /** Timeout of one attempt in milliseconds. The default is 30,000. */
  readonly timeoutMs?: number;
  /** Maximum number of attempts, with increasing delays. The default is 5. */
  readonly tries?: number;
  /** Delay in milliseconds before the second attempt. The default is 500. */
  readonly retryAfterMs?: number;
  /** Maximum size of a response in bytes. The default is 1 MiB. */
  readonly responseLimitBytes?: number;
}

/**
 * Function that posts a review and returns the parsed response. Rejects with `RemoteReviewError` after the
 * last attempt, or if a retry cannot succeed.
 */
export type PostReview = (review: unknown) => Promise<unknown>;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_TRIES = 5;
const RETRY_AFTER_MS = 500;
const BACKOFF = { maxMs: Infinity, factor: 1.5, jitter: 0.2 };
const RESPONSE_LIMIT_BYTES = 1024 * 1024;
/** HTTP status codes of temporary failures. */
const TRANSIENT = new Set([429, 500, 503, 504]);

/** Creates the function that posts reviews to a remote service. */
export function createRemoteReview(options: RemoteReviewOptions): PostReview {
  const { clock, random, tries = DEFAULT_TRIES, retryAfterMs: baseMs = RETRY_AFTER_MS } = options;
  const { peer, path } = options.remote;
  // Clients may see the URL, but a query may contain secrets.
  const post = `Post ${JSON.stringify(`${peer.origin}${path.replace(/\?.*$/s, '')}`)}`;
  return async (review) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask(options, post, review);
      } catch (thrown) {
        if (!(thrown instanceof RemoteReviewError) || !thrown.transient || attempt >= tries) throw thrown;
        await sleep(clock, backoffMs(attempt, random, { ...BACKOFF, baseMs }));
      }
    }
  };
}

async function ask(options: RemoteReviewOptions, post: string, review: unknown): Promise<unknown> {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(), timeoutMs);
  try {
    return await exchange(options, post, review, limit.signal, timeoutMs);
  } catch (thrown) {
    if (thrown instanceof RemoteReviewError) throw thrown;
    const late =
      limit.signal.aborted || (thrown instanceof OutboundError && thrown.code === 'ERR_OUTBOUND_TIMEOUT');
    const why = late ? 'context deadline exceeded' : outboundReason(thrown, options.remote.peer.origin);
    throw new RemoteReviewError('ERR_REVIEW_UNREACHABLE', `${post}: ${why}`, {
      transient: !late && isConnectionReset(thrown),
      cause: thrown,
    });
  } finally {
    clock.clearTimeout(timer);
  }
}

async function exchange(
  { outbound, remote, responseLimitBytes = RESPONSE_LIMIT_BYTES }: RemoteReviewOptions,
  post: string,
  review: unknown,
  signal: AbortSignal,
  headersTimeoutMs: number,
): Promise<unknown> {
  const { authorization, certificate, key } = await remote.credentials();
  const peer = { ...remote.peer, ...(certificate && { certificate }), ...(key && { key }) };
  const response = await outbound.send(peer, {
    method: 'POST',
    path: remote.path,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, */*',
      ...(authorization && { authorization }),
    },
    body: writeJson(review),
    signal,
    headersTimeoutMs,
  });
  const bytes = await readOutbound(response, responseLimitBytes);
  if (response.status < 200 || response.status > 299)
    throw new RemoteReviewError('ERR_REVIEW_STATUS', `${post}: unexpected status ${response.status}`, {
      transient: TRANSIENT.has(response.status),
    });
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // The parser's error is not the cause, as its message quotes the response, which may contain a token.
    throw new RemoteReviewError('ERR_REVIEW_ANSWER', `${post}: the response is not JSON`, {
      transient: false,
    });
  }
}

import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isObject, jsonFault, parseJsonLoose, writeJson } from '../../api/schema/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Outbound, OutboundError, type OutboundPeer, readOutbound } from '../../base/http/index.ts';
import { outboundReason } from './reason.ts';
import type { RemoteCredentials } from './remote-review.ts';
import type { ServiceResolver } from './service-resolver.ts';

/** Field `clientConfig` of a webhook. Exactly one of `url` and `service` is set. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM bundle of CAs, encoded in base64. */
  readonly caBundle?: string;
}

/** One call to a webhook. */
export interface WebhookRequest {
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
  /** Request body, sent as JSON. */
  readonly body: unknown;
  /** Timeout in milliseconds for the whole response. */
  readonly timeoutMs: number;
  /** True to send the timeout in the query (`timeout=10s`), as admission does. The default is false. */
  readonly announcesTimeout?: boolean;
  /**
   * Returns the credentials for a webhook at `host:port`, with the host as configured. By default, requests
   * have no credentials.
   */
  readonly credentialsFor?: (target: string) => RemoteCredentials | undefined;
  readonly signal?: AbortSignal;
}

/** Codes of `WebhookError`. */
export type WebhookErrorCode =
  | 'ERR_WEBHOOK_ADDRESS'
  | 'ERR_WEBHOOK_UNREACHABLE'
  | 'ERR_WEBHOOK_TIMEOUT'
  | 'ERR_WEBHOOK_STATUS'
  | 'ERR_WEBHOOK_ANSWER';

/** Error for a call without a usable response. The message is upstream's, without the name of the webhook. */
export class WebhookError extends CodedError<WebhookErrorCode> {
  /** Status code of the response; undefined if there was none. */
  readonly status: number | undefined;

  constructor(
    code: WebhookErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly status?: number } = {},
  ) {
    super(code, message, options);
    this.status = options.status;
  }
}

/** Client for webhooks. */
export interface WebhookCaller {
  /**
   * Posts a JSON document and returns the parsed response. Rejects with `WebhookError`, or with the reason of
   * the signal.
   */
  call(request: WebhookRequest): Promise<unknown>;
}

/** Components and limits of `createWebhookCaller`. */
export interface WebhookCallerOptions {
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  readonly clock: Clock;
  /** Maximum size of a response in bytes. The default is 16 MiB. */
  readonly responseLimitBytes?: number;
  readonly vocabulary: Pick<Vocabulary, 'short'>;
}

const SERVICE_PORT = 443;
const RESPONSE_LIMIT_BYTES = 16 * 1024 * 1024;
const ERROR_TEXT_LIMIT = 2 * 1024;

/** Creates a client for webhooks. */
export function createWebhookCaller(options: WebhookCallerOptions): WebhookCaller {
  const { outbound, clock, vocabulary, responseLimitBytes = RESPONSE_LIMIT_BYTES } = options;

  async function exchange(request: WebhookRequest, target: Target, signal: AbortSignal): Promise<Buffer> {
    const { authorization, certificate, key } = request.credentialsFor?.(target.named) ?? {};
    const peer = { ...target.peer, ...(certificate && { certificate }), ...(key && { key }) };
    const response = await outbound.send(peer, {
      method: 'POST',
      path: target.path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        'user-agent': `${vocabulary.short}-apiserver-admission`,
        ...(authorization && { authorization }),
      },
      body: writeJson(request.body),
      signal,
      headersTimeoutMs: request.timeoutMs,
    });
    const bytes = await readOutbound(response, responseLimitBytes);
    if (response.status < 200 || response.status > 299)
      throw new WebhookError('ERR_WEBHOOK_STATUS', errorMessage(response.status, bytes), {
        status: response.status,
      });
    if (bytes.length === 0) {
      const [contentType = ''] = response.headers['content-type'] ?? [];
      throw new WebhookError(
        'ERR_WEBHOOK_ANSWER',
        `0-length response with status code: ${response.status} and content type: ${contentType}`,
      );
    }
    return bytes;
  }

  return {
    async call(request) {
      const target = targetOf(request, options.resolve);
      const limit = new AbortController();
      const timer = clock.setTimeout(() => limit.abort(), request.timeoutMs);
      const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal;
      try {
        return parseAnswer(await exchange(request, target, signal));
      } catch (thrown) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw explained(thrown, limit.signal.aborted, target);
      } finally {
        clock.clearTimeout(timer);
      }
    },
  };
}

interface Target {
  readonly peer: OutboundPeer;
  readonly path: string;
  /** URL as it appears in messages. */
  readonly shown: string;
  /** Address `host:port` for which credentials are configured. */
  readonly named: string;
}

function targetOf(request: WebhookRequest, resolve: ServiceResolver): Target {
  const { url, service, caBundle = '' } = request.clientConfig;
  const ca = caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString('utf8') };
  const query = request.announcesTimeout ? `timeout=${Math.ceil(request.timeoutMs / 1000)}s` : '';
  const withQuery = (path: string): string => (query === '' ? path : `${path}?${query}`);
  if (service !== undefined) {
    const { namespace, name, path = '/', port = SERVICE_PORT } = service;
    const full = withQuery(path.startsWith('/') ? path : `/${path}`);
    const shown = `https://${name}.${namespace}.svc:${port}${full}`;
    const resolved = resolve(namespace, name, port);
    if ('rejection' in resolved)
      throw new WebhookError('ERR_WEBHOOK_ADDRESS', `Post ${JSON.stringify(shown)}: ${resolved.rejection}`);
    return { peer: { ...resolved, ...ca }, path: full, shown, named: `${name}.${namespace}.svc:${port}` };
  }
  const parsed = parseUrl(url ?? '');
  const full = withQuery(parsed.pathname);
  return {
    peer: { origin: parsed.origin, ...ca },
    path: full,
    shown: `${parsed.origin}${full}`,
    named: parsed.host,
  };
}

/**
 * Parses a webhook URL. Stored configurations were validated, but unsafe URLs are rejected here once more.
 */
function parseUrl(text: string): URL {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.password !== '')
    throw new WebhookError(
      'ERR_WEBHOOK_ADDRESS',
      'a webhook URL must use https and have no user name or password',
    );
  return parsed;
}

function parseAnswer(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return parseJsonLoose(text);
  } catch {
    const why = `couldn't get version/kind; json parse error: ${jsonFault(text)}`;
    throw new WebhookError('ERR_WEBHOOK_ANSWER', why);
  }
}

/** Returns the message of a `Status`. Returns undefined for any other body. */
function messageIn(bytes: Buffer): string | undefined {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isObject(body) || body['kind'] !== 'Status' || body['apiVersion'] !== 'v1') return undefined;
    return typeof body['message'] === 'string' ? body['message'] : undefined;
  } catch {
    return undefined;
  }
}

function explained(thrown: unknown, late: boolean, { shown, peer }: Target): WebhookError {
  if (thrown instanceof WebhookError) return thrown;
  const post = `Post ${JSON.stringify(shown)}`;
  if (late || (thrown instanceof OutboundError && thrown.code === 'ERR_OUTBOUND_TIMEOUT'))
    return new WebhookError('ERR_WEBHOOK_TIMEOUT', `${post}: context deadline exceeded`, { cause: thrown });
  if (thrown instanceof OutboundError && thrown.code === 'ERR_OUTBOUND_TOO_LARGE')
    return new WebhookError('ERR_WEBHOOK_ANSWER', thrown.message, { cause: thrown });
  const why = outboundReason(thrown, peer.origin);
  return new WebhookError('ERR_WEBHOOK_UNREACHABLE', `${post}: ${why}`, { cause: thrown });
}

/**
 * Returns client-go's message for an error response: the message of its `Status`, otherwise a text for the
 * status code.
 */
function errorMessage(status: number, bytes: Buffer): string {
  const message = messageIn(bytes);
  if (message !== undefined) return message;
  switch (status) {
    case 400:
      return 'the server rejected our request for an unknown reason';
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return 'the server does not allow access to the requested resource';
    case 404:
      return 'the server could not find the requested resource';
    case 503:
      return 'the server is currently unable to handle the request';
    default: {
      const text = bytes.subarray(0, ERROR_TEXT_LIMIT).toString('utf8').trim();
      return status >= 500
        ? `an error on the server (${JSON.stringify(text || 'unknown')}) has prevented the request from succeeding`
        : `the server responded with the status code ${status} but did not return more information`;
    }
  }
}

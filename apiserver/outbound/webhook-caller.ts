import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isObject, jsonFault, parseJsonLoose, writeJson } from '../../api/schema/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Outbound, OutboundError, type OutboundPeer, readOutbound } from '../../base/http/index.ts';
import { outboundReason } from './reason.ts';
import type { RemoteCredentials } from './remote-review.ts';
import type { ServiceResolver } from './service-resolver.ts';

/** Where a webhook is: the `clientConfig` of every kind that has one. Exactly one of `url` and `service`. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** Base64 of a PEM bundle. */
  readonly caBundle?: string;
}

export interface WebhookRequest {
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
  /** Sent as JSON. */
  readonly body: unknown;
  /** Milliseconds until the whole answer must be there. */
  readonly timeoutMs: number;
  /** Tell the webhook its time in the query (`timeout=10s`), as admission does. Default false. */
  readonly announcesTimeout?: boolean;
  /** What the server shows a webhook at `host:port`, `host` as its address was given; default nothing. */
  readonly credentialsFor?: (target: string) => RemoteCredentials | undefined;
  readonly signal?: AbortSignal;
}

export type WebhookErrorCode =
  | 'ERR_WEBHOOK_ADDRESS'
  | 'ERR_WEBHOOK_UNREACHABLE'
  | 'ERR_WEBHOOK_TIMEOUT'
  | 'ERR_WEBHOOK_STATUS'
  | 'ERR_WEBHOOK_ANSWER';

/** The webhook gave no answer that can be used. The message is upstream's for the call, without the webhook's name. */
export class WebhookError extends CodedError<WebhookErrorCode> {
  /** The status the webhook answered with, where it did. */
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

export interface WebhookCaller {
  /** Posts one JSON document; resolves with the parsed answer. Rejects with a `WebhookError`, or the signal's reason. */
  call(request: WebhookRequest): Promise<unknown>;
}

export interface WebhookCallerOptions {
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  readonly clock: Clock;
  /** Bytes an answer may have; default 16 MiB. */
  readonly answerLimitBytes?: number;
  readonly vocabulary: Pick<Vocabulary, 'short'>;
}

const SERVICE_PORT = 443;
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;
const ERROR_TEXT_LIMIT = 2 * 1024;

export function createWebhookCaller(options: WebhookCallerOptions): WebhookCaller {
  const { outbound, clock, vocabulary, answerLimitBytes = ANSWER_LIMIT_BYTES } = options;

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
    const bytes = await readOutbound(response, answerLimitBytes);
    if (response.status < 200 || response.status > 299)
      throw new WebhookError('ERR_WEBHOOK_STATUS', refusalText(response.status, bytes), {
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
  /** The address as messages show it. */
  readonly shown: string;
  /** The address as credentials are named by it. */
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
    if ('refusal' in resolved)
      throw new WebhookError('ERR_WEBHOOK_ADDRESS', `Post ${JSON.stringify(shown)}: ${resolved.refusal}`);
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

/** Stored configurations have been validated; what is dangerous is refused here again. */
function parseUrl(text: string): URL {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.username !== '' || parsed.password !== '')
    throw new WebhookError('ERR_WEBHOOK_ADDRESS', 'a webhook must be at a URL with https and without a user');
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

/** The message of a `Status`; undefined for any other body. */
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

/** What the real system's client makes of a refusal: the `Status` it carries has the word. */
function refusalText(status: number, bytes: Buffer): string {
  const told = messageIn(bytes);
  if (told !== undefined) return told;
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

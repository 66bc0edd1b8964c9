import { badRequest } from '../../api/status/api-error.ts';
import type { BodySink, HttpHeaders, HttpRequest, HttpResponse } from '../../base/http/message.ts';
import type { Outbound, OutboundPeer, OutboundRequest, OutboundResponse } from '../../base/http/outbound.ts';
import type { Logger } from '../../base/log/logger.ts';
import { BODY_LIMIT } from '../http/bodies.ts';
import { type Stage, isLongRunning } from '../http/pipeline.ts';
import { textResponse } from '../http/responses.ts';
import { outboundReason } from '../outbound/reason.ts';
import type { ServiceResolver } from '../outbound/service-resolver.ts';
import type { RequestContext, RequestInfo } from '../request.ts';
import { answeredHeaders, proxiedHeaders } from './proxy-headers.ts';
import { type ProxyCredential, peerOf } from './remote-peer.ts';
import type { RemoteService, RemoteServices } from './remote-services.ts';

export interface ProxyOptions {
  readonly remotes: Pick<RemoteServices, 'at'>;
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  readonly credential: ProxyCredential | undefined;
  readonly log: Logger;
  /** Milliseconds a remote server has until the head of its answer; watches have no limit. Default 60 000. */
  readonly headersTimeoutMs?: number;
}

const HEADERS_TIMEOUT_MS = 60_000;

/**
 * Hands requests below a group version of another server on to it, in the name of who asks; all others go on here.
 * Runs once the request is authenticated and authorized. Bodies stream both ways and are never held whole.
 */
export function createProxy(options: ProxyOptions): Stage {
  return {
    name: 'aggregation',
    run(context, next) {
      const remote = remoteOf(context.info, options.remotes);
      return remote === undefined ? next(context) : forward(context, remote, options);
    },
  };
}

/** A group version's own path counts to it, its group's does not; so does its OpenAPI document. */
function remoteOf(info: RequestInfo, remotes: ProxyOptions['remotes']): RemoteService | undefined {
  if (info.isResourceRequest)
    return info.path.startsWith('//') ? undefined : remotes.at(info.group, info.version);
  const openApi = info.path.startsWith('/openapi/v3/');
  const [root, ...rest] = (openApi ? info.path.slice('/openapi/v3'.length) : info.path)
    .replace(/\/$/, '')
    .slice(1)
    .split('/');
  if (root === 'api' && rest.length === 1) return remotes.at('', rest[0] ?? '');
  return root === 'apis' && rest.length === 2 ? remotes.at(rest[0] ?? '', rest[1] ?? '') : undefined;
}

async function forward(
  context: RequestContext,
  remote: RemoteService,
  options: ProxyOptions,
): Promise<HttpResponse> {
  const { http } = context;
  if (isUpgrade(http.headers))
    throw badRequest('an upgrade to another protocol is not possible through this server');
  const peer = remote.available ? peerOf(remote, options.resolve, options.credential) : undefined;
  if (peer === undefined || 'refusal' in peer) return textResponse(503, 'service unavailable\n');
  try {
    const response = await options.outbound.send(peer, await requestOf(context, peer, options));
    return answerOf(http, response);
  } catch (thrown) {
    if (http.signal.aborted) throw thrown;
    options.log.debug(
      { err: thrown, id: context.id, apiService: remote.name },
      'no answer from an API service',
    );
    const reason = outboundReason(thrown, peer.origin);
    return textResponse(503, `error trying to reach service: ${reason}\n`);
  }
}

const isUpgrade = (headers: HttpHeaders): boolean =>
  headers['upgrade'] !== undefined &&
  (headers['connection'] ?? []).some((line) => line.toLowerCase().includes('upgrade'));

async function requestOf(
  context: RequestContext,
  peer: OutboundPeer,
  { headersTimeoutMs = HEADERS_TIMEOUT_MS }: ProxyOptions,
): Promise<OutboundRequest> {
  const { http } = context;
  const streaming = isLongRunning(context);
  const body = await bodyOf(http);
  const headers = proxiedHeaders(context, new URL(peer.origin).host);
  if (body === undefined) delete headers['content-length'];
  return {
    method: http.method,
    path: http.url,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: http.signal,
    headersTimeoutMs: streaming ? 0 : headersTimeoutMs,
    streaming,
  };
}

async function bodyOf(http: HttpRequest): Promise<OutboundRequest['body']> {
  const { headers, method } = http;
  const declared = headers['content-length']?.[0];
  const framed = declared !== undefined || headers['transfer-encoding'] !== undefined;
  if (declared === '0' || (!framed && (method === 'GET' || method === 'HEAD'))) return undefined;
  return http.stream?.() ?? http.body(BODY_LIMIT);
}

/** Where the real system answers in place of a remote server that wants to send the client elsewhere. */
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

async function answerOf({ method }: HttpRequest, response: OutboundResponse): Promise<HttpResponse> {
  const { status } = response;
  const isRedirect = status >= 300 && status <= 399 && response.headers['location'] !== undefined;
  const bodiless = method === 'HEAD' || status === 204 || status === 304;
  if (isRedirect || bodiless) for await (const chunk of response.body) void chunk;
  if (isRedirect) return textResponse(502, REDIRECTED);
  const headers = answeredHeaders(response.headers);
  return { status, headers, body: bodiless ? new Uint8Array() : (sink) => void pour(response.body, sink) };
}

/** Reads no faster than the client does. What breaks off is broken off, never ended as if it were whole. */
async function pour(body: AsyncIterable<Uint8Array>, sink: BodySink): Promise<void> {
  const closed = new Promise<void>((resolve) => sink.onClose(resolve));
  try {
    for await (const chunk of body) {
      if (sink.closed) return;
      if (sink.write(chunk)) continue;
      await Promise.race([closed, new Promise<void>((resolve) => sink.onDrain(resolve))]);
    }
    sink.end();
  } catch {
    if (sink.closed) return;
    if (sink.cut === undefined) sink.end();
    else sink.cut();
  }
}

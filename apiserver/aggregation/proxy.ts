import { badRequest } from '../../api/status/index.ts';
import {
  type HttpResponse,
  MalformedPath,
  type Outbound,
  requireUnambiguous,
  splitTarget,
  textResponse,
} from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { type Stage, isLongRunning } from '../http/pipeline.ts';
import { forwarded } from '../outbound/forward.ts';
import { proxiedHeaders } from '../outbound/proxy-headers.ts';
import { outboundReason } from '../outbound/reason.ts';
import type { ServiceResolver } from '../outbound/service-resolver.ts';
import type { RequestContext, RequestInfo } from '../request.ts';
import { type ProxyCredential, peerOf } from './remote-peer.ts';
import type { RemoteService, RemoteServices } from './remote-services.ts';

/** Components and options of `createProxy`. */
export interface ProxyOptions {
  readonly remotes: Pick<RemoteServices, 'at'>;
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  readonly credential: Live<ProxyCredential> | undefined;
  readonly log: Logger;
  /**
   * Timeout in milliseconds until another server sends its response headers; does not apply to watches. The
   * default is 60,000.
   */
  readonly headersTimeoutMs?: number;
}

const HEADERS_TIMEOUT_MS = 60_000;

/**
 * Creates the stage that forwards requests for group versions of other servers, with the user's identity in
 * headers. The stage must run after authentication and authorization. Request and response bodies are
 * streamed and never buffered whole.
 */
export function createProxy(options: ProxyOptions): Stage {
  return {
    name: 'aggregation',
    run(context, next) {
      const remote = remoteOf(context.info, options.remotes);
      if (remote === undefined) return next(context);
      // The other server must interpret the path as the authorizer did.
      rejectAmbiguous(context.http.url);
      return forward(context, remote, options);
    },
  };
}

/** Throws status 400 for a path that the other server may interpret differently. */
function rejectAmbiguous(url: string): void {
  try {
    requireUnambiguous(splitTarget(url).rawPath);
  } catch (thrown) {
    throw thrown instanceof MalformedPath ? badRequest(thrown.message) : thrown;
  }
}

/**
 * Returns the server to forward a request to. A server receives the discovery path and OpenAPI path of its
 * group version, but not the discovery path of its group.
 */
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
  { outbound, resolve, credential, log, headersTimeoutMs = HEADERS_TIMEOUT_MS }: ProxyOptions,
): Promise<HttpResponse> {
  const { http } = context;
  const peer = remote.available ? peerOf(remote, resolve, credential) : undefined;
  if (peer === undefined || 'rejection' in peer) return textResponse(503, 'service unavailable\n');
  try {
    return await forwarded(http, outbound, peer, {
      path: http.url,
      headers: proxiedHeaders(context, new URL(peer.origin).host),
      headersTimeoutMs,
      streaming: isLongRunning(context),
    });
  } catch (thrown) {
    if (http.signal.aborted) throw thrown;
    log.debug({ err: thrown, id: context.id, apiService: remote.name }, 'request to an API service failed');
    const reason = outboundReason(thrown, peer.origin);
    return textResponse(503, `error trying to reach service: ${reason}\n`);
  }
}

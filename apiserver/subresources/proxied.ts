import { type ApiError, badRequest, serviceUnavailable } from '../../api/status/index.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type Outbound,
  OutboundError,
  type OutboundPeer,
} from '../../base/http/index.ts';
import { forwarded } from '../outbound/forward.ts';
import { forwardedHeaders } from '../outbound/proxy-headers.ts';
import { outboundReason } from '../outbound/reason.ts';
import { createRelink } from '../outbound/relink.ts';

const HEADERS_TIMEOUT_MS = 60_000;

/** Server and path to which a request is proxied. */
export interface ProxyTarget {
  readonly peer: OutboundPeer;
  /** Path and query at the peer. */
  readonly path: string;
  /** Path at this server that precedes the peer's paths in redirects and links. */
  readonly prefix: string;
  /** Returns the error for an unreachable peer. Default: a 503. */
  readonly unreachable?: (why: string) => ApiError;
}

/**
 * Forwards a request to a pod, service or node agent, including a protocol upgrade. Credentials and identity
 * headers are not forwarded. Rejects with `ApiError` if the peer does not respond.
 */
export async function proxied(
  http: HttpRequest,
  outbound: Outbound | undefined,
  { peer, path, prefix, unreachable = unavailable }: ProxyTarget,
): Promise<HttpResponse> {
  if (outbound === undefined) throw unreachable('this server has no transport for outbound requests');
  try {
    return await forwarded(http, outbound, peer, {
      path,
      headers: {
        ...forwardedHeaders(http.headers),
        'x-forwarded-for': [...(http.headers['x-forwarded-for'] ?? []), http.peer.address].join(', '),
        'x-forwarded-uri': http.url.split('?', 1)[0] ?? '',
      },
      headersTimeoutMs: HEADERS_TIMEOUT_MS,
      streaming: true,
      relink: createRelink({ prefix, peer: hostOf(peer), requested: http.headers['host']?.[0] ?? '' }),
    });
  } catch (thrown) {
    if (http.signal.aborted) throw thrown;
    // A host name has resolved to a forbidden address, which `locations.ts` cannot detect.
    if (thrown instanceof OutboundError && thrown.code === 'ERR_OUTBOUND_ADDRESS')
      throw badRequest(thrown.message);
    throw unreachable(outboundReason(thrown, peer.origin));
  }
}

const hostOf = ({ origin }: OutboundPeer): string => origin.replace(/^.*\/\//, '');

const unavailable = (why: string): ApiError => serviceUnavailable(`error trying to reach service: ${why}`);

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

export interface ProxyTarget {
  readonly peer: OutboundPeer;
  /** Path with query, at the peer. */
  readonly path: string;
  /** What stands before the peer's paths at this server, for its redirects and the links in its pages. */
  readonly prefix: string;
  /** The refusal where there is no answer; default 503. */
  readonly unreachable?: (why: string) => ApiError;
}

/**
 * Hands a request on to a pod, a service or a node's agent, with the protocol it asks for in place of HTTP. What the client is
 * known by stays here. Throws `ApiError` when there is no answer.
 */
export async function proxied(
  http: HttpRequest,
  outbound: Outbound | undefined,
  { peer, path, prefix, unreachable = unavailable }: ProxyTarget,
): Promise<HttpResponse> {
  if (outbound === undefined) throw unreachable('this server makes no requests of its own');
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
      relink: createRelink({ prefix, peer: hostOf(peer), asked: http.headers['host']?.[0] ?? '' }),
    });
  } catch (thrown) {
    if (http.signal.aborted) throw thrown;
    // A name that resolves to such an address, which `locations.ts` cannot know.
    if (thrown instanceof OutboundError && thrown.code === 'ERR_OUTBOUND_ADDRESS')
      throw badRequest(thrown.message);
    throw unreachable(outboundReason(thrown, peer.origin));
  }
}

const hostOf = ({ origin }: OutboundPeer): string => origin.replace(/^.*\/\//, '');

const unavailable = (why: string): ApiError => serviceUnavailable(`error trying to reach service: ${why}`);

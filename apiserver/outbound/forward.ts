import {
  type BodySink,
  type HttpRequest,
  type HttpResponse,
  type Outbound,
  type OutboundPeer,
  type OutboundRequest,
  type OutboundResponse,
  textResponse,
  upgradeOf,
} from '../../base/http/index.ts';
import { BODY_LIMIT } from '../http/request/bodies.ts';
import { type Headers, answeredHeaders } from './proxy-headers.ts';
import { type Relink, isPage, relinkedPage } from './relink.ts';

/** Path, headers and timeouts for a forwarded request. */
export interface Forwarding {
  /** Path and query to request from the peer. */
  readonly path: string;
  readonly headers: Headers;
  /**
   * Timeout in milliseconds until the peer sends the response headers. For a streaming request, it applies
   * only to the protocol upgrade.
   */
  readonly headersTimeoutMs: number;
  /** True for requests without a time limit, such as watches and upgrades. */
  readonly streaming: boolean;
  /**
   * Rewrites `Location` headers and links in HTML. If undefined, pages are unchanged, and a redirect is
   * replaced by a 502 response.
   */
  readonly relink?: Relink;
}

/**
 * Forwards a request to a peer and returns the peer's response. Bodies and the data of an upgraded connection
 * are streamed and never buffered whole. Rejects like `Outbound.send`.
 */
export async function forwarded(
  http: HttpRequest,
  outbound: Outbound,
  peer: OutboundPeer,
  forwarding: Forwarding,
): Promise<HttpResponse> {
  return answerOf(http, await outbound.send(peer, await requestOf(http, forwarding)), forwarding.relink);
}

async function requestOf(
  http: HttpRequest,
  { path, headers, headersTimeoutMs, streaming }: Forwarding,
): Promise<OutboundRequest> {
  const upgrade = upgradeOf(http.headers);
  const body = upgrade === undefined ? await bodyOf(http) : http.stream?.();
  const { 'content-length': length, ...others } = headers;
  const isFramed = upgrade === undefined && body !== undefined && length !== undefined;
  return {
    method: http.method,
    path,
    headers: isFramed ? headers : others,
    ...(body === undefined ? {} : { body }),
    ...(upgrade === undefined ? {} : { upgrade }),
    signal: http.signal,
    headersTimeoutMs: streaming && upgrade === undefined ? 0 : headersTimeoutMs,
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

/** Upstream's response body in place of a redirect by another server. */
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

async function answerOf(
  { method }: HttpRequest,
  response: OutboundResponse,
  relink: Relink | undefined,
): Promise<HttpResponse> {
  const { status } = response;
  const location = response.headers['location']?.[0];
  const isRefused = location !== undefined && status >= 300 && status <= 399 && relink === undefined;
  const bodiless = method === 'HEAD' || status === 204 || status === 304;
  if (isRefused || bodiless) for await (const chunk of response.body) void chunk;
  if (isRefused) return textResponse(502, REDIRECTED);
  const headers = answeredHeaders(response.headers);
  const upgrade = status === 101 ? response.headers['upgrade'] : undefined;
  if (upgrade !== undefined) Object.assign(headers, { connection: 'Upgrade', upgrade });
  if (location !== undefined && relink !== undefined) headers['location'] = relink(location);
  if (bodiless) return { status, headers, body: new Uint8Array() };
  let { body } = response;
  if (relink !== undefined && location === undefined && isPage(response.headers)) {
    delete headers['content-length'];
    body = relinkedPage(body, response.headers, relink);
  }
  return { status, headers, body: (sink) => void pour(body, sink) };
}

/**
 * Copies a body no faster than the client reads. If the body fails, the connection is cut, so that the
 * response does not look complete.
 */
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

import { type X509Certificate, timingSafeEqual } from 'node:crypto';
import { ApiError, serviceUnavailable } from '../../api/status/index.ts';
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  MalformedPath,
  type Outbound,
  OutboundError,
  type OutboundPeer,
  firstHeader,
  upgradeOf,
} from '../../base/http/index.ts';
import { parseRequestInfo } from '../../apiserver/http/index.ts';
import { endToEnd, forwarded } from '../../apiserver/outbound/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { readIdentity } from '../../base/pki/index.ts';
import type { Passing } from '../plan/matching.ts';
import type { Interception } from './interception.ts';
import { statusResponse } from './refusals.ts';

/** Credentials for the API server. */
export interface UpstreamCredentials {
  /** Complete value of the `Authorization` header. */
  readonly authorization?: string;
  /** Client certificate in PEM. */
  readonly certificate?: string;
  readonly key?: string;
}

export interface ChaosProxyOptions {
  /** Origin of the API server, and how to verify its certificate. */
  readonly target: Omit<OutboundPeer, 'certificate' | 'key'>;
  /** Path prefix of the API server's API; '' for none. */
  readonly basePath: string;
  /**
   * Token that the proxy replaces by `credentials`, because a client certificate cannot pass a proxy. Other
   * credentials are forwarded unchanged.
   */
  readonly lent?: { readonly token: string; readonly credentials: () => Promise<UpstreamCredentials> };
  readonly outbound: Outbound;
  readonly interception: Interception;
  readonly log: Logger;
}

/**
 * Headers that are not forwarded: the target host, the expectation and the accepted compression of responses.
 */
const SETTLED_HERE = new Set(['host', 'expect', 'accept-encoding']);
/**
 * Response timeout in milliseconds. It exceeds the timeouts of servers, so that clients see the server's own
 * timeout.
 */
const ANSWER_MS = 90_000;
/** Subresources whose responses may last without limit. */
const STREAMED = new Set(['log', 'proxy']);

/**
 * Creates an HTTP handler between clients and an API server. The handler never stores, logs or records
 * credentials of clients.
 */
export function createChaosProxy(options: ChaosProxyOptions): HttpHandler {
  return async (request) => {
    try {
      return await answer(options, request);
    } catch (thrown) {
      if (thrown instanceof ApiError) return statusResponse(thrown);
      if (thrown instanceof MalformedPath) return refusal(400, 'BadRequest', thrown.message);
      if (request.signal.aborted) return refusal(503, 'ServiceUnavailable', 'the client has disconnected');
      options.log.warn({ err: thrown }, 'no response from the API server');
      return thrown instanceof OutboundError
        ? refusal(502, 'ServiceUnavailable', `the proxy got no response: ${thrown.message}`)
        : statusResponse(serviceUnavailable(`the proxy failed: ${messageOf(thrown)}`));
    }
  };
}

async function answer(options: ChaosProxyOptions, request: HttpRequest): Promise<HttpResponse> {
  if (upgradeOf(request.headers) !== undefined)
    return refusal(
      501,
      'MethodNotAllowed',
      'the proxy forwards only HTTP: protocol upgrades are not supported',
    );
  const info = parseRequestInfo(request.method, request.url);
  const passing: Passing = {
    info,
    user: userOf(request),
    userAgent: firstHeader(request.headers, 'user-agent') ?? '',
  };
  return options.interception(passing, request, (carried) => carry(options, info, carried));
}

async function carry(
  { target, basePath, lent, outbound }: ChaosProxyOptions,
  info: RequestInfo,
  request: HttpRequest,
): Promise<HttpResponse> {
  // Responses must be uncompressed, because the proxy parses them and may store them.
  const headers = endToEnd(request.headers, (name) => !SETTLED_HERE.has(name));
  const shown = lent !== undefined && isShown(request, lent.token) ? await lent.credentials() : undefined;
  if (shown !== undefined) delete headers['authorization'];
  if (shown?.authorization !== undefined) headers['authorization'] = shown.authorization;
  const { certificate, key } = shown ?? {};
  const peer = certificate !== undefined && key !== undefined ? { ...target, certificate, key } : target;
  return forwarded(request, outbound, peer, {
    path: basePath + request.url,
    headers,
    headersTimeoutMs: ANSWER_MS,
    streaming: info.verb === 'watch' || STREAMED.has(info.subresource),
  });
}

/** True if the request carries the token. The comparison takes constant time. */
function isShown({ headers }: HttpRequest, token: string): boolean {
  const given = Buffer.from(firstHeader(headers, 'authorization') ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Returns the user that a request claims to come from, unverified: the subject of its token or the common
 * name of its certificate.
 */
function userOf({ headers, peer }: HttpRequest): string {
  const [, claims = ''] =
    /^Bearer [\w-]+\.([\w-]+)\./i.exec(firstHeader(headers, 'authorization') ?? '') ?? [];
  const subject = claims === '' ? undefined : subjectOf(claims);
  if (subject !== undefined) return subject;
  return peer.certificate === undefined ? '' : commonNameOf(peer.certificate);
}

function commonNameOf({ raw }: X509Certificate): string {
  try {
    return readIdentity(raw).username;
  } catch {
    return '';
  }
}

function subjectOf(claims: string): string | undefined {
  try {
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

const refusal = (
  code: number,
  reason: 'BadRequest' | 'ServiceUnavailable' | 'MethodNotAllowed',
  message: string,
): HttpResponse =>
  statusResponse(
    new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      code,
    }),
  );

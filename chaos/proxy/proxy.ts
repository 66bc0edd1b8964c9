import { type X509Certificate, timingSafeEqual } from 'node:crypto';
import { ApiError, serviceUnavailable } from '../../api/status/api-error.ts';
import { MalformedPath, parseRequestInfo } from '../../apiserver/http/request-info.ts';
import { forwarded } from '../../apiserver/outbound/forward.ts';
import { upgradeOf } from '../../base/http/upgrade.ts';
import { endToEnd } from '../../apiserver/outbound/proxy-headers.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import { messageOf } from '../../base/errors/coded.ts';
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  firstHeader,
} from '../../base/http/message.ts';
import { type Outbound, OutboundError, type OutboundPeer } from '../../base/http/outbound.ts';
import type { Logger } from '../../base/log/logger.ts';
import { readIdentity } from '../../base/pki/identity.ts';
import type { Passing } from '../plan/strikes.ts';
import type { Interception } from './interception.ts';
import { statusResponse } from './refusals.ts';

/** What an API server is shown by which it knows who asks. */
export interface UpstreamCredentials {
  /** Whole value of the `Authorization` header. */
  readonly authorization?: string;
  /** PEM. */
  readonly certificate?: string;
  readonly key?: string;
}

export interface ChaosProxyOptions {
  /** The API server: its origin and how it is verified. */
  readonly target: Omit<OutboundPeer, 'certificate' | 'key'>;
  /** Path below which its API lies; '' for none. */
  readonly basePath: string;
  /**
   * Who shows the token asks with these credentials in its place: a client's own certificate cannot pass a proxy. Without
   * them, and for every other request, what a client shows is handed on as it is.
   */
  readonly lent?: { readonly token: string; readonly credentials: () => Promise<UpstreamCredentials> };
  readonly outbound: Outbound;
  readonly interception: Interception;
  readonly log: Logger;
}

/** Not handed on: where a request goes, that its body is wanted, and how an answer may be packed. */
const SETTLED_HERE = new Set(['host', 'expect', 'accept-encoding']);
/** Above what servers answer within, so that theirs is the time-out a client sees. */
const ANSWER_MS = 90_000;
/** Answers of these may go on for as long as the server likes. */
const STREAMED = new Set(['log', 'proxy']);

/** An HTTP handler between any client and an API server. Never keeps, logs or journals what a client shows of itself. */
export function createChaosProxy(options: ChaosProxyOptions): HttpHandler {
  return async (request) => {
    try {
      return await answer(options, request);
    } catch (thrown) {
      if (thrown instanceof ApiError) return statusResponse(thrown);
      if (thrown instanceof MalformedPath) return refusal(400, 'BadRequest', thrown.message);
      if (request.signal.aborted) return refusal(503, 'ServiceUnavailable', 'the client has gone');
      options.log.warn({ err: thrown }, 'no answer from the API server');
      return thrown instanceof OutboundError
        ? refusal(502, 'ServiceUnavailable', `the proxy has no answer: ${thrown.message}`)
        : statusResponse(serviceUnavailable(`the proxy failed: ${messageOf(thrown)}`));
    }
  };
}

async function answer(options: ChaosProxyOptions, request: HttpRequest): Promise<HttpResponse> {
  if (upgradeOf(request.headers) !== undefined)
    return refusal(501, 'MethodNotAllowed', 'the proxy passes HTTP on, and no other protocol');
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
  // Answers are read here and may be kept: they come as they are, not compressed.
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

/** Compared in a time that does not tell how much of it is right. */
function isShown({ headers }: HttpRequest, token: string): boolean {
  const given = Buffer.from(firstHeader(headers, 'authorization') ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Who a request says it is from: the subject of its token, or the common name of its certificate; not verified. */
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

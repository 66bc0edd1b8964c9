import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { orAborted } from '../../base/async/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import {
  type HttpHeaders,
  type Outbound,
  OutboundError,
  type OutboundPeer,
  type OutboundRequest,
  type OutboundResponse,
} from '../../base/http/index.ts';
import { type DialPolicy, urlPort } from '../../base/net/index.ts';
import { type LookupAll, permittedLookup, requirePermitted } from './permitted-lookup.ts';
import { type OpenConnections, requestUpgrade } from './upgraded-connection.ts';

/** Options of `createUndiciOutbound`. */
export interface UndiciOutboundOptions {
  /**
   * Maximum number of peers with pooled connections; the pools of the least recently used peer are closed.
   * Default 64.
   */
  readonly peers?: number;
  /**
   * Maximum number of connections to a peer for requests without streams; further requests wait. Default 32.
   */
  readonly connections?: number;
  /** Time in milliseconds until an idle connection is closed. Default 30,000. */
  readonly idleMs?: number;
  /** Policy that decides which IP addresses may be dialled. Default: any address. */
  readonly policy?: DialPolicy;
  /** Resolves names if there is a policy. Default `dns.lookup`. */
  readonly lookup?: LookupAll;
}

type Undici = typeof import('undici');

/** Imports undici at the first request, because most servers never send one. */
const loadUndici = (): Promise<Undici> => import('undici');

/**
 * Connection pools of one peer. Streams have their own pool, so that they never use up the connections of
 * requests.
 */
interface Pools {
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 64 * 1024;

/**
 * Creates outbound connections over HTTP/1.1 with or without TLS. Connections are pooled per peer. Redirects
 * are not followed.
 */
export function createUndiciOutbound(options: UndiciOutboundOptions = {}): Outbound {
  return new UndiciOutbound(options);
}

class UndiciOutbound implements Outbound {
  readonly #options: UndiciOutboundOptions;
  /** Pools by peer identity, least recently used first. */
  readonly #pools = new Map<string, Pools>();
  readonly #upgraded: OpenConnections = new Set();
  #undici: Undici | undefined;
  #closed = false;

  constructor(options: UndiciOutboundOptions) {
    this.#options = options;
  }

  async send(peer: OutboundPeer, request: OutboundRequest): Promise<OutboundResponse> {
    if (request.upgrade !== undefined) return this.#upgrade(peer, request);
    const undici = (this.#undici ??= await loadUndici());
    this.#mustBeOpen(request);
    requirePermitted(this.#options.policy, parseOrigin(peer.origin));
    try {
      const { requests, streams } = this.#poolsFor(undici, peer);
      const pending = (request.streaming ? streams : requests).request({
        path: request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: request.headers as Record<string, string | string[]>,
        body: (request.body ?? null) as string | Uint8Array | null,
        signal: request.signal ?? null,
        headersTimeout: request.headersTimeoutMs,
        bodyTimeout: 0,
        origin: peer.origin,
      });
      // undici handles the signal only once a connection exists. Without `orAborted`, a peer that is silent
      // during the TLS handshake would block the caller.
      const response = await (request.signal === undefined ? pending : orAborted(pending, request.signal));
      return {
        status: response.statusCode,
        headers: listedHeaders(response.headers),
        body: readBody(response.body, request, peer.origin),
      };
    } catch (thrown) {
      throw explained(thrown, request, peer.origin);
    }
  }

  /** Sends an upgrade request without undici, which hides the response of a peer that rejects the upgrade. */
  async #upgrade(peer: OutboundPeer, request: OutboundRequest): Promise<OutboundResponse> {
    this.#mustBeOpen(request);
    const url = parseOrigin(peer.origin);
    requirePermitted(this.#options.policy, url);
    try {
      const { body, ...head } = await requestUpgrade({ ...peer, origin: url.origin }, request, {
        open: this.#upgraded,
        ...lookupFor(this.#options, url),
      });
      return { ...head, body: readBody(body, request, peer.origin) };
    } catch (thrown) {
      throw explained(thrown, request, peer.origin);
    }
  }

  #mustBeOpen({ signal }: OutboundRequest): void {
    signal?.throwIfAborted();
    if (this.#closed) throw new OutboundError('ERR_OUTBOUND_CLOSED', 'the server is stopping');
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#upgraded) connection.destroy();
    const all = [...this.#pools.values()].flatMap(({ requests, streams }) => [requests, streams]);
    this.#pools.clear();
    await Promise.all(all.map((each) => each.destroy()));
  }

  #poolsFor(undici: Undici, peer: OutboundPeer): Pools {
    const key = identityOf(peer);
    const known = this.#pools.get(key);
    this.#pools.delete(key);
    const pools = known ?? {
      requests: createPool(undici, peer, this.#options.connections ?? 32, this.#options),
      streams: createPool(undici, peer, null, this.#options),
    };
    this.#pools.set(key, pools);
    const [oldest] = this.#pools;
    if (this.#pools.size > (this.#options.peers ?? 64) && oldest !== undefined) {
      this.#pools.delete(oldest[0]);
      // `close` waits for requests in progress.
      void Promise.allSettled([oldest[1].requests.close(), oldest[1].streams.close()]);
    }
    return pools;
  }
}

/** Returns the key of a peer's pools. Peers with different credentials or trust share no connection. */
const identityOf = ({ origin, ca, serverName, insecureSkipVerify, certificate, key }: OutboundPeer): string =>
  JSON.stringify([origin, ca, serverName, insecureSkipVerify === true, certificate, key]);

function createPool(
  { Pool }: Undici,
  peer: OutboundPeer,
  connections: number | null,
  options: UndiciOutboundOptions,
): Dispatcher {
  const { idleMs = 30_000 } = options;
  const url = parseOrigin(peer.origin);
  const { ca, serverName, certificate, key } = peer;
  return new Pool(url.origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      ...lookupFor(options, url),
      ...(ca === undefined ? {} : { ca }),
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
      rejectUnauthorized: peer.insecureSkipVerify !== true,
    },
  });
}

/** Returns the `lookup` option of sockets, which checks the policy. */
const lookupFor = (
  { policy, lookup }: UndiciOutboundOptions,
  url: URL,
): { readonly lookup?: LookupFunction } =>
  policy === undefined ? {} : { lookup: permittedLookup(policy, urlPort(url), lookup) };

function parseOrigin(origin: string): URL {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.origin === 'null')
    throw new OutboundError('ERR_OUTBOUND_REQUEST', 'a peer must be an origin such as https://host:port');
  return url;
}

const listedHeaders = (headers: Dispatcher.ResponseData['headers']): HttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? [value] : value]],
    ),
  );

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  request: OutboundRequest,
  origin: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (thrown) {
    throw explained(thrown, request, origin);
  }
}

const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH|ERR_OSSL_)/;
const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const REQUEST_CODES = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH']);

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

/** Converts an error of undici or a socket to an `OutboundError`. */
function explained(thrown: unknown, request: OutboundRequest, origin: string): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  if (thrown instanceof OutboundError) return thrown;
  const code = codeOf(thrown);
  const options = { cause: thrown };
  // The cause would quote the invalid header, which may contain a credential.
  if (REQUEST_CODES.has(code))
    return new OutboundError('ERR_OUTBOUND_REQUEST', `invalid request to ${origin}`, options);
  const text = `${origin}: ${code === '' ? messageOf(thrown) : `${code} ${messageOf(thrown)}`.trim()}`;
  if (TLS_CODES.test(code))
    return new OutboundError('ERR_OUTBOUND_TLS', `certificate not accepted: ${text}`, options);
  if (TIMEOUT_CODES.has(code))
    return new OutboundError('ERR_OUTBOUND_TIMEOUT', `no response from ${text}`, options);
  return new OutboundError('ERR_OUTBOUND_CONNECTION', `connection failed to ${text}`, options);
}

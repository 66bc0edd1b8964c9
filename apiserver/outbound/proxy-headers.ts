import type { UserInfo } from '../../api/kinds/index.ts';
import type { HttpHeaders } from '../../base/http/index.ts';
import type { RequestContext } from '../request.ts';

/** Headers of an outgoing message. */
export type Headers = Record<string, string | readonly string[]>;

/** Hop-by-hop headers (https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Request headers that this server sets or evaluates itself: credentials, identity and forwarding address.
 */
const OWN_REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'expect',
  'host',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-uri',
  'x-remote-group',
  'x-remote-uid',
  'x-remote-user',
]);
const OWN_REQUEST_PREFIXES = ['impersonate-', 'x-remote-extra-'];

/** Returns the header names that the `Connection` header makes hop-by-hop. */
const namedByConnection = (headers: HttpHeaders): ReadonlySet<string> =>
  new Set(
    (headers['connection'] ?? []).flatMap((line) => line.split(',')).map((name) => name.trim().toLowerCase()),
  );

/** Returns the end-to-end headers that `isKept` accepts. Repeated headers remain separate lines. */
export function endToEnd(headers: HttpHeaders, isKept: (name: string) => boolean): Headers {
  const named = namedByConnection(headers);
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name) && isKept(name))
      .map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** Returns the client's request headers that may be forwarded. */
export const forwardedHeaders = (headers: HttpHeaders): Headers =>
  endToEnd(
    headers,
    (name) =>
      !OWN_REQUEST_HEADERS.has(name) && !OWN_REQUEST_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );

/** Response headers that this server sets itself: audit ID and CORS permissions. */
const OWN_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'audit-id',
]);

/** Returns the peer's response headers that may be sent to the client. */
export const answeredHeaders = (headers: HttpHeaders): Headers =>
  endToEnd(headers, (name) => !OWN_RESPONSE_HEADERS.has(name));

/**
 * Encodes a header value in UTF-8, as upstream does. Node.js writes strings as Latin-1, so the UTF-8 bytes
 * are converted to Latin-1 characters.
 */
const onWire = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * Characters allowed in a header name (https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2), without `%`,
 * which escapes other characters.
 */
const NAME_BYTE = /[A-Za-z0-9!#$&'*+.^_`|~-]/;

const escapedKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return NAME_BYTE.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

/** Returns the headers from which an aggregated server reads the user. */
export function identityHeaders({ username, groups, extra = {} }: UserInfo): Headers {
  const headers: Headers = { 'x-remote-user': onWire(username) };
  if (groups.length > 0) headers['x-remote-group'] = groups.map(onWire);
  const values = new Map<string, string[]>();
  for (const [key, each] of Object.entries(extra)) {
    const name = `x-remote-extra-${escapedKey(key)}`.toLowerCase();
    values.set(name, [...(values.get(name) ?? []), ...each.map(onWire)]);
  }
  return { ...headers, ...Object.fromEntries(values) };
}

/** Returns all headers of a request that is forwarded to a server at `host`. */
export function proxiedHeaders({ http, user, id, info }: RequestContext, host: string): Headers {
  const before = http.headers['x-forwarded-for'] ?? [];
  const [path = ''] = http.url.split('?');
  return {
    ...forwardedHeaders(http.headers),
    ...identityHeaders(user),
    'audit-id': id,
    'x-forwarded-for': [...before, http.peer.address].join(', '),
    'x-forwarded-host': host,
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': path === '' ? info.path : path,
  };
}

import type { UserInfo } from '../../api/kinds/index.ts';
import type { HttpHeaders } from '../../base/http/index.ts';
import type { RequestContext } from '../request.ts';

/** A head on its way out. */
export type Headers = Record<string, string | readonly string[]>;

/** Said from one hop to the next, not from end to end (RFC 9110, section 7.6.1). */
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

/** What this server has settled itself: who asks and as whom, where the request goes, that it is wanted. */
const SETTLED: ReadonlySet<string> = new Set([
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
const SETTLED_PREFIXES = ['impersonate-', 'x-remote-extra-'];

/** Names that a `Connection` header makes hop-by-hop. */
const namedByConnection = (headers: HttpHeaders): ReadonlySet<string> =>
  new Set(
    (headers['connection'] ?? []).flatMap((line) => line.split(',')).map((name) => name.trim().toLowerCase()),
  );

/** Of a head what goes from end to end, as far as it is kept: one value as it is, several each in a line of its own. */
export function endToEnd(headers: HttpHeaders, isKept: (name: string) => boolean): Headers {
  const named = namedByConnection(headers);
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name) && isKept(name))
      .map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

/** What a client sent that its request may take along. */
export const forwardedHeaders = (headers: HttpHeaders): Headers =>
  endToEnd(
    headers,
    (name) => !SETTLED.has(name) && !SETTLED_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );

/** What this server says itself: which request it was, and which pages of others may read its answers. */
const OWN_ANSWERS: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'audit-id',
]);

/** What a remote server answered that its answer may bring along. */
export const answeredHeaders = (headers: HttpHeaders): Headers =>
  endToEnd(headers, (name) => !OWN_ANSWERS.has(name));

/** Header values are Latin-1 in Node and UTF-8 on the wire of the real system: the bytes are the same this way. */
const onWire = (text: string): string => Buffer.from(text).toString('latin1');

/** Bytes a header name may have (RFC 9110, section 5.6.2), without `%`, which escapes the others. */
const NAME_BYTE = /[A-Za-z0-9!#$&'*+.^_`|~-]/;

const escapedKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return NAME_BYTE.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');

/** Who asks, in the headers that a server behind a proxy reads it from. */
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

/** The whole head of a request on its way to a remote server at `host`. */
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

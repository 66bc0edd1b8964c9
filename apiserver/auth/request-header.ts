import type { X509Certificate } from 'node:crypto';
import type { UserInfo } from '../../api/kinds/index.ts';
import { rejecting } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { HttpHeaders } from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import type { Authenticator } from '../request.ts';
import { commonNameOf, createPeerVerifier } from './client-certificate.ts';
import { asAuthenticated } from './groups.ts';
import { extraKey, fromWire } from './header-text.ts';
import { rejected } from './rejection.ts';
import { withoutTokenProtocols } from './web-socket-token.ts';

/** Names of the headers in which a proxy passes the user's identity. Letter case is ignored. */
export interface IdentityHeaders {
  /** Headers with the user name, in order of precedence: the first one with a value is used. */
  readonly username: readonly string[];
  /** Headers with groups; every value is one group. */
  readonly group: readonly string[];
  /**
   * Name prefixes of headers with extra attributes. The name without the prefix is the percent-encoded key.
   */
  readonly extraPrefix: readonly string[];
}

/** Headers that this server sets when it proxies a request. */
export const standardIdentityHeaders: IdentityHeaders = {
  username: ['X-Remote-User'],
  group: ['X-Remote-Group'],
  extraPrefix: ['X-Remote-Extra-'],
};

const lowerCased = ({ username, group, extraPrefix }: IdentityHeaders): IdentityHeaders => {
  const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());
  return { username: lower(username), group: lower(group), extraPrefix: lower(extraPrefix) };
};

/**
 * Reads the user from the headers. Returns undefined if there is no user name. Expects `names` in lower case.
 */
export function readIdentity(headers: HttpHeaders, names: IdentityHeaders): UserInfo | undefined {
  const username = names.username.map((name) => headers[name]?.[0] ?? '').find((value) => value !== '');
  if (username === undefined) return undefined;
  const groups = names.group.flatMap((name) => headers[name] ?? []).filter((value) => value !== '');
  const extra = readExtra(headers, names.extraPrefix);
  return {
    username: fromWire(username),
    groups: groups.map(fromWire),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function readExtra(
  headers: HttpHeaders,
  prefixes: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes)
    for (const name of Object.keys(headers)) {
      if (!name.startsWith(prefix)) continue;
      const key = extraKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...(headers[name] ?? []).map(fromWire)]);
    }
  return extra;
}

/**
 * Creates an authenticator for users that a trusted proxy names in headers
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy). The proxy's
 * certificate must lead to the given CA bundle and have an allowed name; otherwise the headers are ignored.
 */
export function createRequestHeaderAuthenticator(options: {
  readonly clientCa: Live<readonly X509Certificate[]>;
  /** Accepted common names of the proxy's certificate; an empty list accepts any name. */
  readonly allowedNames: readonly string[];
  readonly headers: IdentityHeaders;
  readonly clock: Clock;
}): Authenticator {
  const { clientCa, allowedNames, clock } = options;
  const verify = createPeerVerifier({ roots: clientCa, clock });
  const names = lowerCased(options.headers);
  return {
    name: 'request-header',
    explicit: true,
    authenticate: ({ headers, peer }) =>
      rejecting(() => {
        const certificate = verify(peer);
        if (certificate === undefined) return undefined;
        const commonName = commonNameOf(certificate);
        if (allowedNames.length > 0 && !allowedNames.includes(commonName))
          throw rejected(`x509: subject with cn=${commonName} is not in the allowed list`);
        const user = readIdentity(headers, names);
        return user && { user: asAuthenticated(user) };
      }),
  };
}

/**
 * Identity headers that servers behind a proxy commonly trust. They are always removed, whatever headers the
 * flags name.
 */
const ALWAYS: IdentityHeaders = {
  username: [...standardIdentityHeaders.username, 'X-Remote-Uid'],
  group: standardIdentityHeaders.group,
  extraPrefix: standardIdentityHeaders.extraPrefix,
};

/**
 * Creates a function that removes identity headers, `Authorization` and token subprotocols. Later stages must
 * not read or forward credentials once the user is authenticated. The function returns the same record if
 * there is nothing to remove.
 */
export function createCredentialRemoval(configured?: IdentityHeaders): (headers: HttpHeaders) => HttpHeaders {
  const all = [ALWAYS, ...(configured === undefined ? [] : [configured])].map(lowerCased);
  const names = new Set(['authorization', ...all.flatMap(({ username, group }) => [...username, ...group])]);
  const prefixes = all.flatMap(({ extraPrefix }) => extraPrefix);
  return (headers) =>
    withoutTokenProtocols(
      withoutHeaders(
        headers,
        (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
      ),
    );
}

/**
 * Returns the headers without those for which `removed` returns true. Returns the same record if none is
 * removed.
 */
export function withoutHeaders(headers: HttpHeaders, removed: (name: string) => boolean): HttpHeaders {
  let some = false;
  for (const name in headers)
    if (removed(name)) {
      some = true;
      break;
    }
  if (!some) return headers;
  const kept: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>;
  for (const name of Object.keys(headers)) if (!removed(name)) kept[name] = headers[name] ?? [];
  return kept;
}

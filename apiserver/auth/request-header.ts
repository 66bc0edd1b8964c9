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

/** In which headers a proxy says who asks. Names in any case. */
export interface IdentityHeaders {
  /** In order: the first with a value names the user. */
  readonly username: readonly string[];
  /** Every value of each is a group. */
  readonly group: readonly string[];
  /** Headers that begin so give extra attributes: the rest is the key, percent-encoded. */
  readonly extraPrefix: readonly string[];
}

/** The names that the server itself uses where it hands a request on. */
export const standardIdentityHeaders: IdentityHeaders = {
  username: ['X-Remote-User'],
  group: ['X-Remote-Group'],
  extraPrefix: ['X-Remote-Extra-'],
};

const lowerCased = ({ username, group, extraPrefix }: IdentityHeaders): IdentityHeaders => {
  const lower = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());
  return { username: lower(username), group: lower(group), extraPrefix: lower(extraPrefix) };
};

/** Whom the headers name; undefined where they name nobody. `names` in lower case. */
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
 * A proxy that has authenticated the user itself (specification 1, section 5.6). It is believed after its certificate has
 * been verified against a bundle of its own, and bears one of the allowed names; from anyone else the headers are nothing.
 */
export function createRequestHeaderAuthenticator(options: {
  readonly clientCa: Live<readonly X509Certificate[]>;
  /** Common names a proxy may have; empty for any. */
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

/** Headers by which a server behind a proxy learns who asks, whatever the flags say. */
const ALWAYS: IdentityHeaders = {
  username: [...standardIdentityHeaders.username, 'X-Remote-Uid'],
  group: standardIdentityHeaders.group,
  extraPrefix: standardIdentityHeaders.extraPrefix,
};

/**
 * Takes away the headers, and subprotocols, that say who asks: once that is known nobody is to look at them again, and nothing is to be
 * handed on in them. Gives the same record where there are none.
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

/** The headers but those that are `removed`; the same record where there is none of them. */
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

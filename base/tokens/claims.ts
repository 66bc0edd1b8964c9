/** The identifiers in claims that carry a product's name; a vocabulary has them. */
export interface ClaimNames {
  /** `example.io`: prefix of legacy claims, and name of the claim that binds a token to objects. */
  readonly domain: string;
  /** `iss` of tokens that live in Secrets. */
  readonly legacyTokenIssuer: string;
}

/** An object as a bound token names it. */
export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

export interface LegacyTokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  /** The Secret the token lives in; without it the token is void. */
  readonly secretName: string;
  /**
   * `jti` (RFC 7519, section 4.1.7), of this token alone: with a key whose signatures are always the same, as those of RS256,
   * a token made anew for a Secret that was deleted and came back under its name would otherwise be the one that was revoked.
   */
  readonly id: string;
}

export interface BoundTokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  /** Without this Pod the token is void. */
  readonly pod?: ObjectIdentity;
  /** Without this Secret the token is void. */
  readonly secret?: ObjectIdentity;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** From this second on the token's use is worth a warning, though it is good until `expiresAt`. */
  readonly warnAfter?: number;
}

/** A JSON object as it was parsed. */
export type Claims = Readonly<Record<string, unknown>>;

const USERNAME_PREFIX = 'system:serviceaccount:';

/** User name of a service account: `system:serviceaccount:<namespace>:<name>`. */
export const serviceAccountUsername = (namespace: string, name: string): string =>
  `${USERNAME_PREFIX}${namespace}:${name}`;

/** Groups of every service account in a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Namespace and name in a service account's user name; undefined for any other user. */
export function splitServiceAccountUsername(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(USERNAME_PREFIX)) return undefined;
  const parts = username.slice(USERNAME_PREFIX.length).split(':');
  const [namespace, name] = parts;
  if (parts.length !== 2 || namespace === undefined || name === undefined) return undefined;
  return NAMESPACE.test(namespace) && NAME.test(name) ? { namespace, name } : undefined;
}

const legacyKey = (names: ClaimNames, key: string): string => `${names.domain}/serviceaccount/${key}`;

/** Claims of a token that lives in a Secret: they never expire (specification 1, section 2.6). */
export function legacyClaims(names: ClaimNames, token: LegacyTokenClaims): Claims {
  return {
    iss: names.legacyTokenIssuer,
    jti: token.id,
    [legacyKey(names, 'namespace')]: token.namespace,
    [legacyKey(names, 'secret.name')]: token.secretName,
    [legacyKey(names, 'service-account.name')]: token.serviceAccount.name,
    [legacyKey(names, 'service-account.uid')]: token.serviceAccount.uid,
    sub: serviceAccountUsername(token.namespace, token.serviceAccount.name),
  };
}

/** Claims of a token made by a token request (specification 1, section 5.3). */
export function boundClaims(names: ClaimNames, issuer: string, token: BoundTokenClaims): Claims {
  return {
    aud: token.audiences,
    exp: token.expiresAt,
    iat: token.issuedAt,
    iss: issuer,
    [names.domain]: {
      namespace: token.namespace,
      ...(token.pod === undefined ? {} : { pod: token.pod }),
      ...(token.secret === undefined ? {} : { secret: token.secret }),
      serviceaccount: token.serviceAccount,
      ...(token.warnAfter === undefined ? {} : { warnafter: token.warnAfter }),
    },
    nbf: token.issuedAt,
    sub: serviceAccountUsername(token.namespace, token.serviceAccount.name),
  };
}

const own = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Claims)[key] : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a legacy token says; a claim that is missing or no text is ''. */
export function readLegacyClaims(names: ClaimNames, claims: Claims): LegacyTokenClaims {
  const claim = (key: string): string => text(own(claims, legacyKey(names, key)));
  return {
    id: text(own(claims, 'jti')),
    namespace: claim('namespace'),
    secretName: claim('secret.name'),
    serviceAccount: { name: claim('service-account.name'), uid: claim('service-account.uid') },
  };
}

function identity(value: unknown): ObjectIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return { name: text(own(value, 'name')), uid: text(own(value, 'uid')) };
}

/** What a bound token says of the objects it depends on; undefined when it has no such claim. */
export function readBoundClaims(
  names: ClaimNames,
  claims: Claims,
): Pick<BoundTokenClaims, 'namespace' | 'pod' | 'secret' | 'serviceAccount' | 'warnAfter'> | undefined {
  const bound = own(claims, names.domain);
  if (typeof bound !== 'object' || bound === null) return undefined;
  const serviceAccount = identity(own(bound, 'serviceaccount'));
  if (serviceAccount === undefined) return undefined;
  const pod = identity(own(bound, 'pod'));
  const secret = identity(own(bound, 'secret'));
  const warnAfter = own(bound, 'warnafter');
  return {
    namespace: text(own(bound, 'namespace')),
    serviceAccount,
    ...(pod === undefined ? {} : { pod }),
    ...(secret === undefined ? {} : { secret }),
    ...(typeof warnAfter === 'number' ? { warnAfter } : {}),
  };
}

/** Vendor-specific identifiers in claims, taken from the vocabulary. */
export interface ClaimNames {
  /**
   * Domain such as `example.io`: prefix of legacy claims, and name of the claim that binds a token to
   * objects.
   */
  readonly domain: string;
  /** `iss` of tokens stored in Secrets. */
  readonly legacyTokenIssuer: string;
}

/** An object referenced by a bound token. */
export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Claims of a token stored in a Secret. */
export interface LegacyTokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  /** The Secret that stores the token; without it the token is invalid. */
  readonly secretName: string;
  /**
   * Unique `jti` (RFC 7519, section 4.1.7). Signatures of RS256 are deterministic. Without it a token for a
   * Secret that was deleted and created again would equal the revoked one.
   */
  readonly id: string;
}

/** Claims of a token created by a TokenRequest. */
export interface BoundTokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  /** The token is invalid without this Pod. */
  readonly pod?: ObjectIdentity;
  /** The token is invalid without this Secret. */
  readonly secret?: ObjectIdentity;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Second from which on the use of the token causes a warning, although it is valid until `expiresAt`. */
  readonly warnAfter?: number;
}

/** A parsed JSON object. */
export type Claims = Readonly<Record<string, unknown>>;

const USERNAME_PREFIX = 'system:serviceaccount:';

/** Returns the user name of a service account: `system:serviceaccount:<namespace>:<name>`. */
export const serviceAccountUsername = (namespace: string, name: string): string =>
  `${USERNAME_PREFIX}${namespace}:${name}`;

/** Returns the groups of every service account in a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Returns the namespace and name in a service account's user name; undefined for any other user. */
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

/**
 * Returns the claims of a token stored in a Secret, which never expires. See
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#manual-secret-management-for-serviceaccounts.
 */
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

/**
 * Returns the claims of a token created by a TokenRequest. See
 * https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/.
 */
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

/** Parses the claims of a legacy token; a missing or non-string claim is ''. */
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

/** Returns the objects that a bound token depends on; undefined without such a claim. */
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

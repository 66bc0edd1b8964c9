/** Vendor-specific names in claims, which the vocabulary determines. */
export interface ClaimNames {
  /**
   * Domain such as `example.io`. It is the prefix of legacy claims, and the name of the claim that binds a
   * token to objects.
   */
  readonly domain: string;
  /** Issuer (`iss`) of tokens that are stored in Secrets. */
  readonly legacyTokenIssuer: string;
}

/** Object that a bound token references. */
export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Claims of a legacy token, which is stored in a Secret. */
export interface LegacyTokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  /** Name of the Secret that stores the token. The token is invalid if the Secret does not exist. */
  readonly secretName: string;
  /**
   * Unique token ID (`jti`; RFC 7519, section 4.1.7). RS256 signatures are deterministic, so without the ID,
   * a token for a Secret that was deleted and created again would equal the revoked token.
   */
  readonly id: string;
}

/** Claims of a bound token, which is created by a TokenRequest. */
export interface BoundTokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  /** Pod to which the token is bound. The token is invalid if the pod does not exist. */
  readonly pod?: ObjectIdentity;
  /** Secret to which the token is bound. The token is invalid if the Secret does not exist. */
  readonly secret?: ObjectIdentity;
  readonly audiences: readonly string[];
  /** Time of issue in seconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /**
   * Time in seconds since the epoch after which use of the token causes a warning. The token is valid until
   * `expiresAt`.
   */
  readonly warnAfter?: number;
}

/** Parsed JSON object. */
export type Claims = Readonly<Record<string, unknown>>;

const USERNAME_PREFIX = 'system:serviceaccount:';

/** Returns the user name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
export const serviceAccountUsername = (namespace: string, name: string): string =>
  `${USERNAME_PREFIX}${namespace}:${name}`;

/** Returns the groups of every service account in a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Returns the namespace and name in the user name of a service account. Returns undefined for any other user
 * name.
 */
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
 * Returns the claims of a legacy token, which never expires
 * (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#manual-secret-management-for-serviceaccounts).
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
 * Returns the claims of a bound token, which is created by a TokenRequest
 * (https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/).
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

/** Parses the claims of a legacy token. A claim that is missing or not a string is ''. */
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

/** Returns the objects to which a token is bound. Returns undefined if the token has no such claim. */
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

import type { UserInfo } from '../../api/kinds/index.ts';
import { type Clock, toTime } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { Claims } from '../../base/tokens/index.ts';
import type { TokenAuthenticator } from '../request.ts';
import {
  type UnverifiedToken,
  audiencesOf,
  claimOf,
  isSignedBy,
  quotedList,
  readUnverified,
  secondsOf,
} from './json-web-token.ts';
import { type IssuerKeysOptions, type PublishedKey, createIssuerKeys } from './oidc-keys.ts';
import { rejected } from './rejection.ts';
import { digestOf } from './secret-digest.ts';
import { type TokenCacheMetrics, createTokenMemory } from './token-memory.ts';

/**
 * Settings of the `--oidc-*` flags
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens).
 */
export interface OidcSettings {
  /** Required issuer (`iss`) of tokens: an https URL, compared exactly. */
  readonly issuerUrl: string;
  /** Required audience; a token may have others besides. */
  readonly clientId: string;
  /** PEM bundle of CAs that verify the issuer's certificate. The default is the machine's root CAs. */
  readonly ca?: string;
  /** Claim with the user name. The default is `sub`. */
  readonly usernameClaim?: string;
  /**
   * Prefix of user names; `-` stands for none. The default is `ISSUER_URL#`, or none if the username claim is
   * `email`.
   */
  readonly usernamePrefix?: string;
  /** Claim with the groups. Without a groups claim, users have no groups. */
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** Claims that every token must have, with their required values. */
  readonly requiredClaims?: readonly (readonly [name: string, value: string])[];
  /** Accepted signing algorithms. The default is RS256. */
  readonly signingAlgorithms?: readonly string[];
}

/** Supported signing algorithms: those with a public key, so neither `none` nor HMAC. */
export const oidcSigningAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
] as const;

/**
 * Seconds before its `nbf` from which a token is accepted, as clocks differ. The expiration has no tolerance.
 */
const NOT_BEFORE_LEEWAY_SECONDS = 300;
const SIGNATURE_TTL_MS = 600_000;

/** Throws `ERR_OIDC` if the issuer URL or a signing algorithm is not supported. */
export function checkOidcSettings({ issuerUrl, signingAlgorithms = [] }: OidcSettings): void {
  const url = URL.canParse(issuerUrl) ? new URL(issuerUrl) : undefined;
  if (url?.protocol !== 'https:')
    throw new CodedError(
      'ERR_OIDC',
      `'oidc-issuer-url' (${JSON.stringify(issuerUrl)}) has invalid scheme (${JSON.stringify(url?.protocol.replace(':', '') ?? '')}), require 'https'`,
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new CodedError('ERR_OIDC', "'oidc-issuer-url' must have neither a user nor a query nor a fragment");
  const unknown = signingAlgorithms.find(
    (each) => !(oidcSigningAlgorithms as readonly string[]).includes(each),
  );
  if (unknown !== undefined)
    throw new CodedError(
      'ERR_OIDC',
      `oidc: unsupported signing alg: ${JSON.stringify(unknown)}; supported are ${oidcSigningAlgorithms.join(', ')}`,
    );
}

/**
 * Creates an authenticator for the ID tokens of one OpenID Connect issuer (OpenID Connect Core 1.0, section
 * 3.1.3.7). Tokens of other issuers are treated as unknown, and no token is sent to another server.
 *
 * Fetches the issuer's keys at the first token, and again for an unknown key ID, at most every ten seconds. A
 * token with a key ID that is still unknown is rejected. Distributed claims are not followed: the token
 * itself must contain its groups claim.
 */
export function createOidcAuthenticator(
  options: OidcSettings &
    Pick<IssuerKeysOptions, 'outbound' | 'clock' | 'log'> & { readonly tokenCache: TokenCacheMetrics },
): TokenAuthenticator {
  checkOidcSettings(options);
  const { issuerUrl, clock, tokenCache, signingAlgorithms = ['RS256'] } = options;
  const good = createTokenMemory<true>({ clock, metrics: tokenCache, ttlMs: SIGNATURE_TTL_MS });
  const keys = createIssuerKeys({ ...options, onChange: () => good.clear() });

  async function isSigned(token: string, { header }: UnverifiedToken): Promise<boolean> {
    const algorithm = claimOf(header, 'alg');
    const keyId = claimOf(header, 'kid');
    const fitting = (known: readonly PublishedKey[]): readonly PublishedKey[] =>
      known
        .filter(({ id }) => keyId === undefined || keyId === id)
        .map((key) => ({ ...key, algorithms: key.algorithms.filter((each) => each === algorithm) }));
    if (await isSignedBy(token, fitting(await keys.current()))) return true;
    const renewed = await keys.renewed();
    return renewed !== undefined && (await isSignedBy(token, fitting(renewed)));
  }

  async function checkSignature(token: string, seen: UnverifiedToken): Promise<void> {
    const algorithm = claimOf(seen.header, 'alg');
    if (typeof algorithm !== 'string' || !signingAlgorithms.includes(algorithm))
      throw verifyFailure(
        `oidc: id token signed with unsupported algorithm, expected ${quotedList(signingAlgorithms)} got ${JSON.stringify(algorithm)}`,
      );
    await good.recall(digestOf(token).toString('latin1'), async () => {
      if (await isSigned(token, seen)) return true;
      throw verifyFailure('failed to verify signature: failed to verify id token signature');
    });
  }

  return {
    name: 'oidc',
    async authenticateToken(token) {
      const seen = readUnverified(token);
      if (seen === undefined || claimOf(seen.claims, 'iss') !== issuerUrl) return undefined;
      checkClaims(seen.claims, options, clock);
      await checkSignature(token, seen);
      return { user: userOf(seen.claims, options) };
    },
  };
}

const verifyFailure = (reason: string) => rejected(`oidc: verify token: ${reason}`);

/** Formats a time as Go's `Time.String` does. */
const goTime = (seconds: number): string =>
  `${toTime(seconds * 1000)
    .replace('T', ' ')
    .replace('Z', '')} +0000 UTC`;

/** Validates audience and times. Runs before the signature is verified, as it is cheaper. */
function checkClaims(claims: Claims, { clientId }: OidcSettings, clock: Clock): void {
  const audiences = audiencesOf(claims);
  if (!audiences.includes(clientId))
    throw verifyFailure(`oidc: expected audience ${JSON.stringify(clientId)} got ${quotedList(audiences)}`);
  const nowMs = clock.now();
  const expires = secondsOf(claims, 'exp') ?? 0;
  if (Math.abs(expires) > MAX_SECONDS || expires * 1000 < nowMs)
    throw verifyFailure(
      `oidc: token is expired (Token Expiry: ${Math.abs(expires) > MAX_SECONDS ? 'unreadable' : goTime(expires)})`,
    );
  if (claimOf(claims, 'nbf') === undefined) return;
  const notBefore = secondsOf(claims, 'nbf');
  if (notBefore === undefined || nowMs + NOT_BEFORE_LEEWAY_SECONDS * 1000 < notBefore * 1000)
    throw verifyFailure('oidc: current time is before the nbf (not before) time');
}

/** Maximum time that a JavaScript `Date` can represent, in seconds since the epoch. */
const MAX_SECONDS = 8_640_000_000_000;

function userOf(claims: Claims, settings: OidcSettings): UserInfo {
  const { usernameClaim = 'sub', groupsClaim = '', groupsPrefix = '' } = settings;
  const username = textClaim(
    claims,
    usernameClaim,
    `oidc: parse username claims ${JSON.stringify(usernameClaim)}`,
  );
  if (username === '') throw rejected(`oidc: username claim ${JSON.stringify(usernameClaim)} is empty`);
  if (usernameClaim === 'email') checkEmail(claims);
  const groups = groupsClaim === '' ? [] : groupsOf(claims, groupsClaim);
  for (const [name, value] of settings.requiredClaims ?? []) checkRequired(claims, name, value);
  return {
    username: `${usernamePrefix(settings)}${username}`,
    groups: groups.map((group) => `${groupsPrefix}${group}`),
  };
}

function usernamePrefix({
  issuerUrl,
  usernameClaim = 'sub',
  usernamePrefix: prefix = '',
}: OidcSettings): string {
  if (prefix === '-') return '';
  return prefix === '' && usernameClaim !== 'email' ? `${issuerUrl}#` : prefix;
}

/** Returns Go's name for the type of a JSON value. */
function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function textClaim(claims: Claims, name: string, context: string): string {
  const value = claimOf(claims, name);
  if (value === undefined) throw rejected(`${context}: claim not present`);
  if (typeof value !== 'string')
    throw rejected(`${context}: json: cannot unmarshal ${goKind(value)} into Go value of type string`);
  return value;
}

/** Rejects an e-mail address that the issuer marks as unverified, as it may belong to another person. */
function checkEmail(claims: Claims): void {
  const verified = claimOf(claims, 'email_verified');
  if (verified === undefined || verified === true) return;
  if (verified === false || verified === null) throw rejected('oidc: email not verified');
  throw rejected(
    `oidc: parse 'email_verified' claim: json: cannot unmarshal ${goKind(verified)} into Go value of type bool`,
  );
}

/**
 * Returns the groups in a claim, which is a list of strings or a string. Returns an empty list if the token
 * has no such claim.
 */
function groupsOf(claims: Claims, name: string): readonly string[] {
  const value = claimOf(claims, name);
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw rejected(
    `oidc: parse groups claim ${JSON.stringify(name)}: json: cannot unmarshal ${goKind(value)} into Go value of type string`,
  );
}

function checkRequired(claims: Claims, name: string, wanted: string): void {
  if (claimOf(claims, name) === undefined)
    throw rejected(`oidc: required claim ${name} not present in ID token`);
  const value = textClaim(claims, name, `oidc: parse claim ${name}`);
  if (value !== wanted)
    throw rejected(`oidc: required claim ${name} value does not match. Got = ${value}, want = ${wanted}`);
}

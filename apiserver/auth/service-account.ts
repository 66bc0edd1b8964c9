import type { KeyObject } from 'node:crypto';
import type { UserInfo } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import {
  type Claims,
  algorithmOf,
  keyIdOf,
  serviceAccountGroups,
  serviceAccountUsername,
} from '../../base/tokens/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Authenticated, TokenAuthenticator } from '../request.ts';
import { audiencesOf, claimOf, isSignedBy, quotedList, readUnverified } from './json-web-token.ts';
import { rejected } from './rejection.ts';
import { digestOf } from './secret-digest.ts';
import {
  type ServiceAccountObjects,
  type TokenSubject,
  validateBound,
  validateLegacy,
} from './service-account-claims.ts';
import { type TokenCacheMetrics, createTokenMemory } from './token-memory.ts';

/** Keys, issuers and audiences that the authenticator accepts, and the objects it reads. */
export interface ServiceAccountAuthenticatorOptions extends ServiceAccountObjects {
  /** Public keys that verify token signatures, in any order. */
  readonly publicKeys: readonly KeyObject[];
  /** Accepted issuers (`iss`) of bound tokens. Legacy tokens have the issuer of the vocabulary. */
  readonly issuers: readonly string[];
  /** Audiences of this API server. A token that names no audience is treated as having these. */
  readonly apiAudiences: readonly string[];
  readonly metrics: Metrics;
  readonly tokenCache: TokenCacheMetrics;
}

const SIGNATURE_TTL_MS = 600_000;

function userOf(subject: TokenSubject, vocabulary: Vocabulary): UserInfo {
  const { namespace, serviceAccount, pod } = subject;
  return {
    username: serviceAccountUsername(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: serviceAccountGroups(namespace),
    ...(pod === undefined
      ? {}
      : {
          extra: {
            [vocabulary.key('authentication', 'pod-name')]: [pod.name],
            [vocabulary.key('authentication', 'pod-uid')]: [pod.uid],
          },
        }),
  };
}

/**
 * Creates an authenticator for service account tokens
 * (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/, RFC 7515, RFC 7519).
 * Tokens of other issuers are treated as unknown. The key determines the algorithm; the token's header is not
 * trusted.
 *
 * Only the result of a successful signature check is cached. Objects are read for each request, so that a
 * token becomes invalid once its object is deleted.
 */
export function createServiceAccountAuthenticator(
  options: ServiceAccountAuthenticatorOptions,
): TokenAuthenticator {
  const { vocabulary, issuers, apiAudiences } = options;
  const checkSignature = createSignatureCheck(options);
  const note = createNotes(options);
  return {
    name: 'service-account',
    async authenticateToken(token, wanted) {
      const seen = readUnverified(token);
      if (seen === undefined) return undefined;
      const { header, claims } = seen;
      const issuer = claimOf(claims, 'iss');
      const isLegacy = issuer === vocabulary.legacyTokenIssuer;
      if (typeof issuer !== 'string' || !(isLegacy || issuers.includes(issuer))) return undefined;
      await checkSignature(token, claimOf(header, 'kid'));
      const audiences = commonAudiences(audiencesOf(claims), wanted, apiAudiences);
      const subject = isLegacy
        ? await validateLegacy(token, claims, options)
        : await validateBound(claims, options);
      const annotations = note(claims, subject);
      return { user: userOf(subject, vocabulary), audiences, ...(annotations && { annotations }) };
    },
  };
}

/**
 * Creates the signature check. It tries only the key that the token's header names, or all keys if that key
 * is unknown.
 */
function createSignatureCheck({
  publicKeys,
  clock,
  tokenCache,
}: ServiceAccountAuthenticatorOptions): (token: string, keyId: unknown) => Promise<void> {
  const keys = publicKeys.map((key) => ({ key, id: keyIdOf(key), algorithms: [algorithmOf(key)] }));
  const good = createTokenMemory<true>({ clock, metrics: tokenCache, ttlMs: SIGNATURE_TTL_MS });
  return async (token, keyId) => {
    const named = keys.filter(({ id }) => id === keyId);
    await good.recall(digestOf(token).toString('latin1'), async () => {
      if (await isSignedBy(token, named.length > 0 ? named : keys)) return true;
      throw rejected('token signature does not match any service account key');
    });
  };
}

/**
 * Returns the requested audiences for which the token is valid. A token without audiences is valid for the
 * API server only.
 */
function commonAudiences(
  own: readonly string[],
  wanted: readonly string[],
  apiAudiences: readonly string[],
): readonly string[] {
  const named = own.length === 0 ? apiAudiences : own;
  const requested = wanted.length === 0 ? apiAudiences : wanted;
  const common = named.filter((audience) => requested.includes(audience));
  if (common.length === 0 && apiAudiences.length > 0)
    throw rejected(
      `token audiences ${quotedList(named)} is invalid for the target audiences ${quotedList(requested)}`,
    );
  return common;
}

/**
 * Creates a function that counts tokens, as upstream does. It returns audit annotations for legacy tokens and
 * for tokens used after their requested lifetime.
 */
function createNotes({ metrics, vocabulary }: ServiceAccountAuthenticatorOptions) {
  const counter = (name: string, help: string) => metrics.counter(`serviceaccount_${name}`, help).at();
  const legacy = counter('legacy_tokens_total', 'Cumulative legacy service account tokens used');
  const stale = counter('stale_tokens_total', 'Cumulative stale projected service account tokens used');
  const valid = counter('valid_tokens_total', 'Cumulative valid projected service account tokens used');
  return (claims: Claims, { staleSeconds }: TokenSubject): Authenticated['annotations'] => {
    const subject = String(claimOf(claims, 'sub'));
    if (audiencesOf(claims).length === 0) {
      legacy.add(1);
      return { [vocabulary.groupKey('authentication', 'legacy-token')]: subject };
    }
    if (staleSeconds === undefined) return undefined;
    if (staleSeconds <= 0) {
      valid.add(1);
      return undefined;
    }
    stale.add(1);
    const text = `subject: ${subject}, seconds after warning threshold: ${staleSeconds}`;
    return { [vocabulary.groupKey('authentication', 'stale-token')]: text };
  };
}

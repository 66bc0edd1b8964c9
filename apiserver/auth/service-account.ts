import type { KeyObject } from 'node:crypto';
import { compactVerify, errors } from 'jose';
import type { UserInfo } from '../../api/kinds/kind.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { type Claims, serviceAccountGroups, serviceAccountUsername } from '../../base/tokens/claims.ts';
import { algorithmOf, keyIdOf } from '../../base/tokens/keys.ts';
import type { TokenAuthenticator } from '../request.ts';
import { rejected } from './rejection.ts';
import {
  type ServiceAccountObjects,
  type TokenSubject,
  validateBound,
  validateLegacy,
} from './service-account-claims.ts';

export interface ServiceAccountAuthenticatorOptions extends ServiceAccountObjects {
  /** Keys that may have signed, in any order. */
  readonly publicKeys: readonly KeyObject[];
  /** Accepted `iss` of bound tokens; those of legacy tokens carry the vocabulary's. */
  readonly issuers: readonly string[];
  /** Audiences of tokens that name none. */
  readonly apiAudiences: readonly string[];
}

/** `iss` and `kid` of a token, unchecked; undefined when it is no JWT. */
function peek(token: string): { readonly issuer: unknown; readonly keyId: unknown } | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const header = parseObject(parts[0]);
  const claims = parseObject(parts[1]);
  return header && claims && { issuer: claims['iss'], keyId: header['kid'] };
}

function parseObject(part: string | undefined): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Claims)
      : undefined;
  } catch {
    return undefined;
  }
}

/** `aud` is a text or a list of texts (RFC 7519). */
function audiencesOf(claims: Claims): readonly string[] {
  const audience = claims['aud'];
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  return list.filter((each) => typeof each === 'string');
}

const quoted = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

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
 * Tokens of service accounts: signed, of a known issuer, and standing for objects that exist (specification 1, section
 * 5.3; RFC 7515, RFC 7519). A token of another issuer is none of ours. Algorithms are those of the keys alone: what the
 * token's header names decides nothing.
 */
export function createServiceAccountAuthenticator(
  options: ServiceAccountAuthenticatorOptions,
): TokenAuthenticator {
  const { vocabulary, issuers, apiAudiences } = options;
  const keys = options.publicKeys.map((key) => ({ key, id: keyIdOf(key), algorithms: [algorithmOf(key)] }));

  async function verified(token: string, keyId: unknown): Promise<Claims> {
    const named = keys.filter(({ id }) => id === keyId);
    for (const { key, algorithms } of named.length > 0 ? named : keys) {
      try {
        const { payload } = await compactVerify(token, key, { algorithms });
        return JSON.parse(Buffer.from(payload).toString()) as Claims;
      } catch (thrown) {
        if (!(thrown instanceof errors.JOSEError)) throw thrown;
      }
    }
    throw rejected('token signature does not match any service account key');
  }

  return {
    name: 'service-account',
    async authenticateToken(token, audiences) {
      const seen = peek(token);
      const isLegacy = seen?.issuer === vocabulary.legacyTokenIssuer;
      if (seen === undefined || !(isLegacy || issuers.includes(seen.issuer as string))) return undefined;
      const claims = await verified(token, seen.keyId);
      const own = audiencesOf(claims);
      const good = own.length === 0 ? apiAudiences : own;
      const asked = audiences.length === 0 ? apiAudiences : audiences;
      const common = good.filter((audience) => asked.includes(audience));
      if (common.length === 0 && apiAudiences.length > 0)
        throw rejected(
          `token audiences ${quoted(good)} is invalid for the target audiences ${quoted(asked)}`,
        );
      const subject = isLegacy
        ? await validateLegacy(token, claims, options)
        : await validateBound(claims, options);
      return { user: userOf(subject, vocabulary), audiences: common };
    },
  };
}

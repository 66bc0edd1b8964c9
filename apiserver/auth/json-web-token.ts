import type { KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import type { Claims } from '../../base/tokens/index.ts';

/** Header and claims of a token. They are not trustworthy before the token's signature is verified. */
export interface UnverifiedToken {
  readonly header: Claims;
  readonly claims: Claims;
}

/**
 * Maximum length of a token in characters; a longer token does not fit a request header. A longer token in a
 * TokenReview is treated as unknown.
 */
const MAX_LENGTH = 64 * 1024;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * Reads the header and claims of a compact JWS (RFC 7515) without verifying it. Returns undefined for any
 * other text.
 */
export function readUnverified(token: string): UnverifiedToken | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  const parts = token.split('.', 4);
  if (parts.length !== 3) return undefined;
  const header = parseObject(parts[0]);
  const claims = header && parseObject(parts[1]);
  return header && claims && { header, claims };
}

function parseObject(part = ''): Claims | undefined {
  if (!BASE64URL.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Claims)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Public key and the algorithms it may be used for. The algorithm in a token's header is never trusted. */
export interface VerifyingKey {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
}

/** True if one of `keys` signed the token with one of the algorithms allowed for that key. */
export async function isSignedBy(token: string, keys: readonly VerifyingKey[]): Promise<boolean> {
  for (const { key, algorithms } of keys) {
    if (algorithms.length === 0) continue;
    try {
      await compactVerify(token, key, { algorithms: [...algorithms] });
      return true;
    } catch {
      // Another key may have signed the token.
    }
  }
  return false;
}

/** Returns a claim of the token; ignores properties inherited from `Object.prototype`. */
export const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/**
 * Returns the claim `aud` as a list, whether it is a string or a list of strings (RFC 7519, section 4.1.3).
 */
export function audiencesOf(claims: Claims): readonly string[] {
  const audience = claimOf(claims, 'aud');
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  return list.filter((each) => typeof each === 'string');
}

/** Returns a time claim in seconds since the epoch. Returns undefined if it is absent or not a number. */
export function secondsOf(claims: Claims, name: string): number | undefined {
  const value = claimOf(claims, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Formats strings as Go's `%q` formats a slice: `["a" "b"]`. */
export const quotedList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

import type { KeyObject } from 'node:crypto';
import { compactVerify } from 'jose';
import type { Claims } from '../../base/tokens/index.ts';

/** What a token says of itself. Nothing of it is true before its signature has been checked. */
export interface UnverifiedToken {
  readonly header: Claims;
  readonly claims: Claims;
}

/** What a header of a request may hold; a longer token can come by a review alone, and is none. */
const MAX_LENGTH = 64 * 1024;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** Reads the header and the claims of a compact JWS (RFC 7515) without a check; undefined for any other text. */
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

/** A public key, and what it may be used for: what a token's header names decides nothing. */
export interface VerifyingKey {
  readonly key: KeyObject;
  readonly algorithms: readonly string[];
}

/** Whether one of `keys` has signed the token by one of its own algorithms. */
export async function isSignedBy(token: string, keys: readonly VerifyingKey[]): Promise<boolean> {
  for (const { key, algorithms } of keys) {
    if (algorithms.length === 0) continue;
    try {
      await compactVerify(token, key, { algorithms: [...algorithms] });
      return true;
    } catch {
      // Another key may have signed it.
    }
  }
  return false;
}

/** A claim of the token itself, never one that all objects inherit. */
export const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

/** `aud` is a text or a list of texts (RFC 7519, section 4.1.3). */
export function audiencesOf(claims: Claims): readonly string[] {
  const audience = claimOf(claims, 'aud');
  const list: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  return list.filter((each) => typeof each === 'string');
}

/** Seconds since the epoch; undefined where there is no such claim or it is no number. */
export function secondsOf(claims: Claims, name: string): number | undefined {
  const value = claimOf(claims, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Texts as messages list them: `["a" "b"]`. */
export const quotedList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

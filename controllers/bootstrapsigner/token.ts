import { createHmac } from 'node:crypto';
import { bootstrapTokenExpiryMs } from '../../api/bootstrap-token/expiry.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** A bootstrap token that may sign (specification 1, section 2.4). */
export interface SigningToken {
  readonly id: string;
  readonly secret: string;
  /** Undefined for one that never expires. */
  readonly expiresAtMs: number | undefined;
}

const text = (secret: DeepReadonly<Secret>, key: string): string =>
  Buffer.from(secret.data?.[key] ?? '', 'base64').toString();

/** Undefined for a Secret that is no token, is malformed, is named after another token, or may not sign. */
export function signingToken(secret: DeepReadonly<Secret>, vocabulary: Vocabulary): SigningToken | undefined {
  const id = text(secret, 'token-id');
  const value = text(secret, 'token-secret');
  if (secret.type !== vocabulary.secretTypes.bootstrapToken) return undefined;
  if (!/^[a-z0-9]{6}$/.test(id) || !/^[a-z0-9]{16}$/.test(value)) return undefined;
  if (secret.metadata?.name !== `bootstrap-token-${id}`) return undefined;
  if (secret.metadata.deletionTimestamp !== undefined) return undefined;
  if (text(secret, 'usage-bootstrap-signing') !== 'true') return undefined;
  const expiresAtMs = bootstrapTokenExpiryMs(secret);
  return { id, secret: value, expiresAtMs: expiresAtMs === Infinity ? undefined : expiresAtMs };
}

const base64url = (value: string): string => Buffer.from(value).toString('base64url');

/** A detached JWS (RFC 7515, appendix F) over `payload`: the compact form with nothing between its dots. */
export function detachedSignature(payload: string, token: SigningToken, vocabulary: Vocabulary): string {
  const key = vocabulary.bootstrapSignatureKey === 'token' ? `${token.id}.${token.secret}` : token.secret;
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: token.id }));
  const signature = createHmac('sha256', key)
    .update(`${header}.${base64url(payload)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

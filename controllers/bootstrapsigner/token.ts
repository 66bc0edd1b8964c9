import { createHmac } from 'node:crypto';
import { bootstrapTokenExpiryMs } from '../../api/bootstrap-token/expiry.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** Bootstrap token with the usage `signing`: https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/ */
export interface SigningToken {
  readonly id: string;
  readonly secret: string;
  /** Expiry in milliseconds since the epoch; undefined if the token never expires. */
  readonly expiresAtMs: number | undefined;
}

const text = (secret: DeepReadonly<Secret>, key: string): string =>
  Buffer.from(secret.data?.[key] ?? '', 'base64').toString();

/**
 * Returns the token in a Secret. Returns undefined if the Secret is not a token, is malformed, has a name
 * that does not match its id, is being deleted, or lacks the usage `signing`.
 */
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

/**
 * Returns a detached JWS over `payload`, which is the compact form without the payload. See
 * https://www.rfc-editor.org/rfc/rfc7515#appendix-F.
 */
export function detachedSignature(payload: string, token: SigningToken, vocabulary: Vocabulary): string {
  const key = vocabulary.bootstrapSignatureKey === 'token' ? `${token.id}.${token.secret}` : token.secret;
  const header = base64url(JSON.stringify({ alg: 'HS256', kid: token.id }));
  const signature = createHmac('sha256', key)
    .update(`${header}.${base64url(payload)}`)
    .digest('base64url');
  return `${header}..${signature}`;
}

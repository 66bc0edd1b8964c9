import { type KeyObject, createPublicKey, sign as signBytes } from 'node:crypto';
import {
  type BoundTokenClaims,
  type ClaimNames,
  type Claims,
  type LegacyTokenClaims,
  boundClaims,
  legacyClaims,
} from './claims.ts';
import { type SigningAlgorithm, algorithmOf, keyIdOf } from './keys.ts';

/** Issuer of service account tokens. */
export interface TokenIssuer {
  /** Issuer (`iss`) of bound tokens. */
  readonly issuer: string;
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: KeyObject;
  /** Returns a token to store in a Secret. The token never expires. */
  legacyToken(token: LegacyTokenClaims): Promise<string>;
  /** Returns a token that expires, and that may be bound to a pod or Secret. */
  boundToken(token: BoundTokenClaims): Promise<string>;
}

/**
 * Creates an issuer. It has no state and needs no clock, as callers pass all times. Throws `ERR_TOKEN_KEY`
 * for an unsupported key.
 * @param options `privateKey` is an RSA key (RS256) or an EC key on P-256, P-384 or P-521 (ES256, ES384,
 * ES512)
 */
export function createTokenIssuer(options: {
  readonly privateKey: KeyObject;
  readonly issuer: string;
  readonly names: ClaimNames;
}): TokenIssuer {
  const { privateKey, issuer, names } = options;
  const algorithm = algorithmOf(privateKey);
  const keyId = keyIdOf(privateKey);
  const header = base64url(JSON.stringify({ alg: algorithm, kid: keyId }));
  // Tokens are signed synchronously instead of on another thread, so that simulations depend only on the
  // order of calls.
  const sign = async (claims: Claims): Promise<string> => {
    const signed = `${header}.${base64url(JSON.stringify(claims))}`;
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${signed}.${signBytes(HASHES[algorithm], Buffer.from(signed), key).toString('base64url')}`;
  };
  return {
    issuer,
    keyId,
    algorithm,
    publicKey: createPublicKey(privateKey),
    legacyToken: (token) => sign(legacyClaims(names, token)),
    boundToken: (token) => sign(boundClaims(names, issuer, token)),
  };
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** Hash names by algorithm (RFC 7518, section 3.1). */
const HASHES: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};

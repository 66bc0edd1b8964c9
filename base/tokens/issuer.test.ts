import { generateKeyPairSync } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readBoundClaims,
  readLegacyClaims,
  serviceAccountUsername,
  splitServiceAccountUsername,
} from './claims.ts';
import { createTokenIssuer } from './issuer.ts';
import { keyIdOf } from './keys.ts';

const names = { domain: 'example.io', legacyTokenIssuer: 'example/serviceaccount' };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const claimsOf = async (token: string, key = rsa.publicKey): Promise<Record<string, unknown>> =>
  JSON.parse(Buffer.from((await compactVerify(token, key)).payload).toString());

describe('token issuer', () => {
  const bound = {
    namespace: 'default',
    serviceAccount: { name: 'robot', uid: 'u1' },
    pod: { name: 'p', uid: 'u2' },
    audiences: ['a', 'b'],
    issuedAt: 1000,
    expiresAt: 4600,
  };

  it('signs bound tokens with RSA as RS256, with the digest of the public key as kid', async () => {
    const issuer = createTokenIssuer({ privateKey: rsa.privateKey, issuer: 'https://issuer', names });
    const token = await issuer.boundToken(bound);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', kid: keyIdOf(rsa.publicKey) });
    const claims = await claimsOf(token);
    expect(claims).toEqual({
      aud: ['a', 'b'],
      exp: 4600,
      iat: 1000,
      nbf: 1000,
      iss: 'https://issuer',
      sub: 'system:serviceaccount:default:robot',
      'example.io': {
        namespace: 'default',
        pod: { name: 'p', uid: 'u2' },
        serviceaccount: { name: 'robot', uid: 'u1' },
      },
    });
    expect(readBoundClaims(names, claims)).toEqual({
      namespace: 'default',
      pod: { name: 'p', uid: 'u2' },
      serviceAccount: { name: 'robot', uid: 'u1' },
    });
  });

  it('signs with EC P-256 as ES256', async () => {
    const issuer = createTokenIssuer({ privateKey: ec.privateKey, issuer: 'i', names });
    const token = await issuer.boundToken(bound);
    expect(issuer.algorithm).toBe('ES256');
    expect((await claimsOf(token, ec.publicKey))['iss']).toBe('i');
  });

  it('signs legacy tokens with claims that can be parsed', async () => {
    const issuer = createTokenIssuer({ privateKey: rsa.privateKey, issuer: 'i', names });
    const legacy = { namespace: 'ns', secretName: 's', serviceAccount: { name: 'n', uid: 'u' }, id: 'one' };
    const claims = await claimsOf(await issuer.legacyToken(legacy));
    expect(claims['iss']).toBe('example/serviceaccount');
    expect(claims['exp']).toBeUndefined();
    expect(readLegacyClaims(names, claims)).toEqual(legacy);
  });

  it('rejects keys that are neither RSA nor EC', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(() => createTokenIssuer({ privateKey, issuer: 'i', names })).toThrow(
      expect.objectContaining({ code: 'ERR_TOKEN_KEY' }),
    );
  });
});

describe('claims', () => {
  it('are parsed from any JSON without throwing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constant('example.io')), fc.jsonValue()),
        (claims) => {
          const legacy = readLegacyClaims(names, claims);
          expect(typeof legacy.namespace).toBe('string');
          readBoundClaims(names, claims);
        },
      ),
    );
  });

  it('distinguish a service account from every other user', () => {
    expect(splitServiceAccountUsername(serviceAccountUsername('a', 'b'))).toEqual({
      namespace: 'a',
      name: 'b',
    });
    for (const other of [
      'alice',
      'system:serviceaccount:a',
      'system:serviceaccount::b',
      'system:serviceaccount:a:b:c',
      'system:serviceaccount:A:b',
      'system:serviceaccount:a:',
    ])
      expect(splitServiceAccountUsername(other)).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), (text) => {
        const split = splitServiceAccountUsername(text);
        if (split !== undefined) expect(serviceAccountUsername(split.namespace, split.name)).toBe(text);
      }),
    );
  });
});

import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { issuerKey, signedToken, tokenPart } from './issuer.fixture.ts';
import { audiencesOf, claimOf, isSignedBy, readUnverified, secondsOf } from './json-web-token.ts';

describe('reading of an unverified token', () => {
  it("returns the token's header and claims", () => {
    const token = `${tokenPart({ alg: 'none' })}.${tokenPart({ iss: 'me' })}.`;
    expect(readUnverified(token)).toEqual({ header: { alg: 'none' }, claims: { iss: 'me' } });
  });

  it('accepts only three parts, the first two of which are JSON objects in base64url', () => {
    const part = tokenPart({});
    for (const text of [
      '',
      '..',
      `${part}.${part}`,
      `${part}.${part}.${part}.${part}`,
      `${tokenPart([])}.${part}.x`,
      `${part}.${tokenPart(null as never)}.x`,
      `${part}.e30=.x`,
      `${part}. e30.x`,
      `${part}.e3+0.x`,
      `${part}.${part.repeat(40_000)}.x`,
    ])
      expect(readUnverified(text)).toBeUndefined();
  });

  it('never throws on any text, however deeply nested', () => {
    const deep = `${tokenPart({})}.${Buffer.from('[{"a":'.repeat(8_000)).toString('base64url')}.x`;
    expect(readUnverified(deep)).toBeUndefined();
    const text = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.oneof(
            fc.base64String(),
            fc.json().map((json) => Buffer.from(json).toString('base64url')),
          ),
        )
        .map((parts) => parts.join('.')),
    );
    fc.assert(
      fc.property(text, (token) => {
        const seen = readUnverified(token);
        if (seen === undefined) return;
        expect(typeof seen.header).toBe('object');
        for (const name of ['iss', 'constructor', '__proto__', 'toString'])
          expect(Object.hasOwn(seen.claims, name) || claimOf(seen.claims, name) === undefined).toBe(true);
        expect(audiencesOf(seen.claims).every((each) => typeof each === 'string')).toBe(true);
        expect(Number.isFinite(secondsOf(seen.claims, 'exp') ?? 0)).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('signature of a token', () => {
  const key = issuerKey('a');

  it('is valid only with an algorithm of the key', async () => {
    const token = await signedToken({}, key);
    expect(await isSignedBy(token, [{ key: key.publicKey, algorithms: ['ES256'] }])).toBe(true);
    expect(await isSignedBy(token, [{ key: key.publicKey, algorithms: ['RS256', 'ES384'] }])).toBe(false);
    expect(await isSignedBy(token, [{ key: key.publicKey, algorithms: [] }])).toBe(false);
    expect(await isSignedBy(token, [])).toBe(false);
  });

  it('is valid if any of several keys created it', async () => {
    const token = await signedToken({}, key);
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const keys = [
      { key: other, algorithms: ['ES256'] },
      { key: key.publicKey, algorithms: ['ES256'] },
    ];
    expect(await isSignedBy(token, keys)).toBe(true);
    // A critical extension that the server does not understand invalidates the token (RFC 7515, section
    // 4.1.11).
    const critical = `${tokenPart({ alg: 'ES256', crit: ['x'], x: 1 })}.${token.split('.').slice(1).join('.')}`;
    expect(await isSignedBy(critical, keys)).toBe(false);
  });

  it('is never valid after a single bit of the token has changed', async () => {
    const token = await signedToken({ sub: 'jane', exp: 1 }, key);
    const keys = [{ key: key.publicKey, algorithms: ['ES256'] }];
    const signedPart = token.lastIndexOf('.');
    await fc.assert(
      fc.asyncProperty(fc.nat(signedPart - 1), fc.constantFrom(...'ABCDwxyz0189-_'), async (at, sign) => {
        fc.pre(token[at] !== sign && token[at] !== '.');
        expect(await isSignedBy(`${token.slice(0, at)}${sign}${token.slice(at + 1)}`, keys)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { createTestIssuer, issuerKey, publicJwk, signedToken, tokenPart } from './issuer.fixture.ts';
import { type OidcSettings, checkOidcSettings, createOidcAuthenticator } from './oidc.ts';
import { publishedKey } from './oidc-keys.ts';
import { rejectionReason } from './rejection.ts';
import { createTokenCacheMetrics } from './token-memory.ts';

const START = Date.UTC(2026, 0, 1);
const NOW = START / 1000;
const ISSUER = 'https://issuer.test/realm';
const first = issuerKey('first');
const second = issuerKey('second');
const rsa = issuerKey('rsa', 'rsa');
const claims = { iss: ISSUER, aud: 'us', sub: 'jane', exp: NOW + 600 };

function setUp(settings: Partial<OidcSettings> = {}) {
  const clock = createSimulatedClock(START);
  const issuer = createTestIssuer(() => ISSUER, [first, rsa].map(publicJwk));
  const elsewhere: string[] = [];
  const outbound = createInMemoryOutbound((origin) => ({
    handler: (request) => {
      if (origin !== 'https://issuer.test') elsewhere.push(origin);
      return issuer.handler(request);
    },
  }));
  const authenticator = createOidcAuthenticator({
    issuerUrl: ISSUER,
    clientId: 'us',
    signingAlgorithms: ['RS256', 'ES256'],
    ...settings,
    outbound,
    clock,
    log: silentLogger,
    tokenCache: createTokenCacheMetrics(createMetrics(), clock),
  });
  const ask = (token: string) => authenticator.authenticateToken(token, []);
  return { clock, issuer, elsewhere, ask };
}

async function refused(promise: Promise<unknown>): Promise<string> {
  const thrown: unknown = await promise.then(
    (found) => expect.unreachable(`taken as ${JSON.stringify(found)}`),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ApiError);
  expect((thrown as ApiError).message).toBe('Unauthorized');
  return rejectionReason(thrown as ApiError);
}

const userOf = async (settings: Partial<OidcSettings>, over: object = {}) =>
  (await setUp(settings).ask(await signedToken({ ...claims, ...over }, first)))?.user;

describe('user of an ID token', () => {
  it('is the subject prefixed with the issuer by default', async () => {
    expect(await userOf({})).toEqual({ username: `${ISSUER}#jane`, groups: [] });
    expect(await userOf({ usernamePrefix: 'oidc:' })).toMatchObject({ username: 'oidc:jane' });
    expect(await userOf({ usernamePrefix: '-' })).toMatchObject({ username: 'jane' });
    expect(await userOf({ usernameClaim: 'name' }, { name: 'j' })).toMatchObject({ username: `${ISSUER}#j` });
  });

  it('is a verified e-mail address without a prefix', async () => {
    const byEmail = { usernameClaim: 'email' };
    const email = 'jane@example.com';
    expect(await userOf(byEmail, { email })).toMatchObject({ username: email });
    expect(await userOf(byEmail, { email, email_verified: true })).toMatchObject({ username: email });
    expect(await userOf({ ...byEmail, usernamePrefix: 'x:' }, { email })).toMatchObject({
      username: `x:${email}`,
    });
    for (const email_verified of [false, null])
      expect(await refused(userOf(byEmail, { email, email_verified }))).toBe('oidc: email not verified');
    expect(await refused(userOf(byEmail, { email, email_verified: 'true' }))).toContain(
      "parse 'email_verified' claim",
    );
  });

  it('is never a claim that is missing, empty or not a string', async () => {
    expect(await refused(userOf({ usernameClaim: 'name' }))).toBe(
      'oidc: parse username claims "name": claim not present',
    );
    expect(await refused(userOf({}, { sub: 7 }))).toBe(
      'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
    );
    expect(await refused(userOf({}, { sub: '' }))).toContain('is empty');
    for (const usernameClaim of ['__proto__', 'constructor', 'toString'])
      expect(await refused(userOf({ usernameClaim }))).toContain('claim not present');
  });

  it('has the groups of a string or list claim, with a prefix', async () => {
    const settings = { groupsClaim: 'roles', groupsPrefix: 'oidc:' };
    expect(await userOf(settings, { roles: ['a', 'b,c'] })).toMatchObject({ groups: ['oidc:a', 'oidc:b,c'] });
    expect(await userOf(settings, { roles: 'a' })).toMatchObject({ groups: ['oidc:a'] });
    expect(await userOf(settings)).toMatchObject({ groups: [] });
    expect(await userOf({}, { roles: ['a'], groups: ['system:masters'] })).toMatchObject({ groups: [] });
    for (const roles of [7, ['a', 7], { a: 'b' }])
      expect(await refused(userOf(settings, { roles }))).toContain('parse groups claim "roles"');
  });

  it('is accepted only with every required claim', async () => {
    const requiredClaims = [
      ['hd', 'example.com'],
      ['plan', 'a=b'],
    ] as const;
    expect(await userOf({ requiredClaims }, { hd: 'example.com', plan: 'a=b' })).toBeDefined();
    expect(await refused(userOf({ requiredClaims }, { hd: 'example.com' }))).toBe(
      'oidc: required claim plan not present in ID token',
    );
    expect(await refused(userOf({ requiredClaims }, { hd: 'evil.com', plan: 'a=b' }))).toBe(
      'oidc: required claim hd value does not match. Got = evil.com, want = example.com',
    );
    expect(await refused(userOf({ requiredClaims }, { hd: ['example.com'], plan: 'a=b' }))).toContain(
      'oidc: parse claim hd',
    );
  });
});

describe('ID token', () => {
  it('is accepted for its audience only', async () => {
    expect(await userOf({}, { aud: ['else', 'us'], azp: 'else' })).toBeDefined();
    expect(await refused(userOf({}, { aud: ['else'] }))).toBe(
      'oidc: verify token: oidc: expected audience "us" got ["else"]',
    );
    expect(await refused(userOf({}, { aud: undefined }))).toContain('expected audience "us" got []');
    expect(await refused(userOf({}, { aud: { us: 'us' } }))).toContain('got []');
  });

  it('is accepted from five minutes before its start until the second of its expiration', async () => {
    const { ask, clock } = setUp();
    const token = await signedToken({ ...claims, nbf: NOW + 300 }, first);
    expect(await ask(token)).toBeDefined();
    expect(await refused(ask(await signedToken({ ...claims, nbf: NOW + 301 }, first)))).toContain('nbf');
    clock.jump(600_000);
    expect(await ask(token)).toBeDefined();
    clock.jump(1);
    expect(await refused(ask(token))).toBe(
      'oidc: verify token: oidc: token is expired (Token Expiry: 2026-01-01 00:10:00 +0000 UTC)',
    );
  });

  it('is rejected without an expiration, or with one that is not a time', async () => {
    for (const exp of [undefined, null, 'tomorrow', 1e300, -1e300, {}])
      expect(await refused(userOf({}, { exp }))).toContain('token is expired');
    expect(await refused(userOf({}, { nbf: 'tomorrow' }))).toContain('nbf');
  });

  it('is unknown unless its issuer is exactly the configured one', async () => {
    const { ask, issuer } = setUp();
    for (const iss of [`${ISSUER}/`, ISSUER.toUpperCase(), 'https://issuer.test', undefined, [ISSUER]])
      expect(await ask(await signedToken({ ...claims, iss }, first))).toBeUndefined();
    expect(issuer.requested).toEqual([]);
  });
});

describe('verification of an ID token', () => {
  const unsupported = 'id token signed with unsupported algorithm, expected ["RS256" "ES256"] got';

  it('rejects unsigned tokens in any spelling', async () => {
    const { ask } = setUp();
    for (const alg of ['none', 'None', 'NONE', '', null])
      for (const signature of ['', 'AAAA'])
        expect(await refused(ask(`${tokenPart({ alg })}.${tokenPart(claims)}.${signature}`))).toContain(
          unsupported,
        );
  });

  it('rejects tokens signed with the public key as a shared secret', async () => {
    for (const key of [first, rsa])
      for (const secret of [
        key.publicKey.export({ type: 'spki', format: 'pem' }),
        key.publicKey.export({ type: 'spki', format: 'der' }),
        JSON.stringify(publicJwk(key)),
      ]) {
        const forged = await new CompactSign(Buffer.from(JSON.stringify(claims)))
          .setProtectedHeader({ alg: 'HS256', kid: key.id })
          .sign(Buffer.from(secret));
        expect(await refused(setUp().ask(forged))).toContain(unsupported);
        // The token is rejected even if the issuer publishes the shared secret as a key.
        const { ask, issuer } = setUp();
        issuer.keys = [
          { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: key.id, alg: 'HS256' },
        ];
        await refused(ask(forged));
      }
  });

  it('rejects tokens that contain or link their own key', async () => {
    const { ask, elsewhere, issuer } = setUp();
    for (const header of [
      { jwk: publicJwk(second), kid: 'second' },
      { jku: 'https://evil.test/keys', kid: 'second' },
      { x5u: 'https://evil.test/keys', kid: 'second' },
      { jwk: publicJwk(second), kid: 'first' },
    ])
      expect(await refused(ask(await signedToken(claims, second, header)))).toContain(
        'failed to verify signature',
      );
    expect(elsewhere).toEqual([]);
    expect(issuer.requested.every((path) => path === '/keys' || path.startsWith('/realm/.well-known/'))).toBe(
      true,
    );
  });

  it('rejects tokens whose claims or header differ from the signed ones', async () => {
    const { ask } = setUp();
    const [header, payload, signature] = (await signedToken(claims, first)).split('.');
    await refused(ask(`${header}.${tokenPart({ ...claims, sub: 'root' })}.${signature}`));
    await refused(ask(`${tokenPart({ alg: 'ES256', kid: 'first', x: 1 })}.${payload}.${signature}`));
    await refused(ask(`${header}.${payload}.`));
    await refused(ask(await signedToken(claims, first, { kid: { first: 'first' } })));
    await refused(ask(await signedToken(claims, first, { kid: '../../keys' })));
  });

  it('rejects tokens with an algorithm for which the issuer does not use the key', async () => {
    const token = await signedToken(claims, { ...rsa, algorithm: 'PS256' });
    const signingAlgorithms = ['RS256', 'PS256'];
    await refused(setUp({ signingAlgorithms }).ask(token));
    const { ask, issuer } = setUp({ signingAlgorithms });
    issuer.keys = [{ ...publicJwk(rsa), alg: undefined }];
    expect(await ask(token)).toBeDefined();
  });
});

describe('keys of an OIDC issuer', () => {
  it('are fetched at the first token and then cached', async () => {
    const { ask, issuer } = setUp();
    for (let i = 0; i < 5; i++) await ask(await signedToken({ ...claims, jti: i }, first));
    expect(issuer.requested).toEqual(['/realm/.well-known/openid-configuration', '/keys']);
  });

  it('are fetched once for concurrent tokens', async () => {
    const { ask, issuer } = setUp();
    const tokens = await Promise.all([1, 2, 3].map((jti) => signedToken({ ...claims, jti }, first)));
    await Promise.all(tokens.map(ask));
    expect(issuer.requested).toHaveLength(2);
  });

  it('are fetched again for an unknown key ID, at most every ten seconds', async () => {
    const { ask, issuer, clock } = setUp();
    const before = await signedToken(claims, first);
    await ask(before);
    issuer.keys = [publicJwk(second)];
    const rotated = await signedToken(claims, second);
    expect(await refused(ask(rotated))).toContain('failed to verify id token signature');
    expect(issuer.requested).toHaveLength(2);
    await clock.advance(10_000);
    expect(await ask(rotated)).toBeDefined();
    for (let i = 0; i < 20; i++)
      await refused(ask(await signedToken(claims, first, { kid: `made-up-${i}` })));
    expect(issuer.requested).toHaveLength(4);
    // The withdrawn key is no longer accepted, not even for a token that was accepted before.
    await refused(ask(before));
  });

  it('are refreshed once they are an hour old, even if no key ID is unknown', async () => {
    const { ask, issuer, clock } = setUp();
    const forever = await signedToken({ ...claims, exp: NOW + 86_400 }, first);
    await ask(forever);
    issuer.keys = [publicJwk(second)];
    await clock.advance(3_600_001);
    await ask(await signedToken({ ...claims, exp: NOW + 86_400, jti: 1 }, first));
    await clock.advance(1);
    await refused(ask(forever));
  });

  it('reject every token until they can be fetched', async () => {
    const { ask, issuer, clock } = setUp();
    const token = await signedToken(claims, first);
    issuer.failing = { status: 503 };
    expect(await refused(ask(token))).toBe('oidc: authenticator not initialized');
    issuer.failing = undefined;
    expect(await refused(ask(token))).toBe('oidc: authenticator not initialized');
    await clock.advance(10_000);
    expect(await ask(token)).toBeDefined();
    // Known keys stay valid while the issuer is unreachable.
    issuer.failing = { status: 500 };
    await clock.advance(20_000);
    expect(await ask(await signedToken({ ...claims, jti: 2 }, first))).toBeDefined();
  });

  it('are not fetched through a redirect, nor from an issuer of another name', async () => {
    const token = await signedToken(claims, first);
    const redirecting = setUp();
    redirecting.issuer.failing = { status: 302, location: 'https://evil.test/' };
    await refused(redirecting.ask(token));
    expect(redirecting.elsewhere).toEqual([]);
    const renamed = setUp();
    renamed.issuer.document = { issuer: 'https://evil.test' };
    await refused(renamed.ask(token));
    for (const jwks_uri of ['http://issuer.test/keys', 'file:///etc/passwd', '', 7, undefined]) {
      const plain = setUp();
      plain.issuer.document = { jwks_uri };
      await refused(plain.ask(token));
    }
  });

  it('exclude shared secrets, short RSA keys and keys for other uses', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    for (const jwk of [
      { kty: 'oct', k: 'AAAA' },
      short,
      { ...publicJwk(first), use: 'enc' },
      { ...publicJwk(first), alg: 'HS256' },
      { ...publicJwk(first), x: 'AAAA' },
      { kty: 'EC' },
      null,
      [],
      'key',
    ])
      expect(publishedKey(jwk)).toBeUndefined();
    expect(publishedKey(publicJwk(rsa))?.algorithms).toEqual(['RS256']);
    const given = { ...rsa.privateKey.export({ format: 'jwk' }) };
    expect(publishedKey(given)?.key.type).toBe('public');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(publishedKey(value)).toBeUndefined();
      }),
    );
  });
});

describe('OIDC settings', () => {
  const check = (over: Partial<OidcSettings>) => () =>
    checkOidcSettings({ issuerUrl: ISSUER, clientId: 'us', ...over });

  it('require an https issuer URL and algorithms with a public key', () => {
    expect(check({})).not.toThrow();
    expect(check({ issuerUrl: 'http://issuer.test' })).toThrow(
      '\'oidc-issuer-url\' ("http://issuer.test") has invalid scheme ("http"), require \'https\'',
    );
    for (const issuerUrl of ['', 'issuer.test', 'https://a:b@issuer.test', 'https://issuer.test?x=1'])
      expect(check({ issuerUrl })).toThrow('oidc-issuer-url');
    for (const algorithm of ['none', 'HS256', 'HS512', 'EdDSA', 'rs256'])
      expect(check({ signingAlgorithms: [algorithm] })).toThrow('unsupported signing alg');
  });
});

it('OIDC authentication of any text returns undefined or throws a rejection', async () => {
  const { ask } = setUp();
  const header = fc.record({ alg: fc.constantFrom('ES256', 'RS256', 'none', 'HS256'), kid: fc.jsonValue() });
  const payload = fc.record({
    iss: fc.constant(ISSUER),
    aud: fc.constant('us'),
    exp: fc.jsonValue(),
    nbf: fc.jsonValue(),
  });
  const part = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => tokenPart({ value })),
  );
  const token = fc.oneof(
    fc.array(part, { maxLength: 4 }).map((parts) => parts.join('.')),
    fc
      .tuple(header.map(tokenPart), payload.map(tokenPart), fc.base64String())
      .map((parts) => parts.join('.')),
  );
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      const thrown: unknown = await ask(text).catch((error: unknown) => error);
      if (thrown !== undefined) expect(thrown).toMatchObject({ code: 401 });
    }),
    { numRuns: 500 },
  );
});

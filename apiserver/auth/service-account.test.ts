import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Secret } from '../../api/types/core-v1.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createTokenIssuer } from '../../base/tokens/issuer.ts';
import { issuerKey, publicJwk, signedToken } from './issuer.fixture.ts';
import { createServiceAccountAuthenticator } from './service-account.ts';
import { createTokenCacheMetrics } from './token-memory.ts';
import { ApiError } from '../../api/status/api-error.ts';
import {
  AUDIENCES,
  ISSUER,
  issuer,
  privateKey,
  publicKey,
  refused,
  START,
  stranger,
  setUp,
} from './service-account.fixture.ts';

describe('bound service account token', () => {
  it('names its pod and is invalid once the pod or the account is deleted', async () => {
    const { token, authenticator, pods, serviceAccounts } = setUp();
    const bound = await token({ boundObjectRef: { kind: 'Pod', name: 'p', uid: 'u2', apiVersion: 'v1' } });
    expect((await authenticator.authenticateToken(bound, []))?.user.extra).toEqual({
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['u2'],
    });
    pods.set({ metadata: { namespace: 'ns', name: 'p', uid: 'new' } });
    expect(await refused(authenticator.authenticateToken(bound, []))).toBe(
      'pod UID (new) does not match service account pod ref claim (u2)',
    );
    pods.delete('ns', 'p');
    expect(await refused(authenticator.authenticateToken(bound, []))).toBe(
      'service account token has been invalidated',
    );
    const free = await token();
    serviceAccounts.delete('ns', 'robot');
    expect(await refused(authenticator.authenticateToken(free, []))).toBe(
      'serviceaccounts "robot" not found',
    );
  });

  it('is invalid once its Secret is deleted', async () => {
    const { token, authenticator, secrets } = setUp();
    const bound = await token({ boundObjectRef: { kind: 'Secret', name: 's', apiVersion: 'v1' } });
    expect(await authenticator.authenticateToken(bound, [])).toBeDefined();
    secrets.delete('ns', 's');
    await refused(authenticator.authenticateToken(bound, []));
  });

  it('is accepted from a minute before its start to a minute after its expiration', async () => {
    const { token, authenticator, clock } = setUp();
    const plain = await token({ expirationSeconds: 600 });
    clock.jump(660_000);
    expect(await authenticator.authenticateToken(plain, [])).toBeDefined();
    clock.jump(1_000);
    expect(await refused(authenticator.authenticateToken(plain, []))).toBe(
      'service account token has expired',
    );
    clock.jump(-661_000 - 61_000);
    expect(await refused(authenticator.authenticateToken(plain, []))).toBe(
      'service account token is not valid yet',
    );
  });

  it('is accepted for its audiences only', async () => {
    const { token, authenticator } = setUp();
    const vault = await token({ audiences: ['vault', 'x'] });
    expect((await authenticator.authenticateToken(vault, ['vault', 'y']))?.audiences).toEqual(['vault']);
    expect(await refused(authenticator.authenticateToken(vault, []))).toBe(
      'token audiences ["vault" "x"] is invalid for the target audiences ["api"]',
    );
  });

  it('is unknown from another issuer, and rejected from another key or algorithm', async () => {
    const { token, authenticator } = setUp();
    const claims = { iss: ISSUER, sub: 'system:serviceaccount:ns:robot', exp: START / 1000 + 60 };
    const foreign = createTokenIssuer({ privateKey, issuer: 'https://else', names: v });
    const bound = {
      namespace: 'ns',
      serviceAccount: { name: 'robot', uid: 'u1' },
      audiences: [],
      issuedAt: 0,
      expiresAt: 1,
    };
    expect(await authenticator.authenticateToken(await foreign.boundToken(bound), [])).toBeUndefined();
    const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const forged = createTokenIssuer({ privateKey: other, issuer: ISSUER, names: v });
    await refused(authenticator.authenticateToken(await forged.boundToken(bound), []));
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    await refused(authenticator.authenticateToken(`${part({ alg: 'none' })}.${part(claims)}.`, []));
    const secret = publicKey.export({ type: 'spki', format: 'pem' });
    const confused = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(secret));
    await refused(authenticator.authenticateToken(confused, []));
    const [header, , signature] = (await token()).split('.');
    await refused(
      authenticator.authenticateToken(`${header}.${part({ ...claims, sub: 'root' })}.${signature}`, []),
    );
  });

  it('is unknown or rejected for any text', async () => {
    const { authenticator } = setUp();
    const part = fc.oneof(
      fc.string(),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
      fc
        .record({ iss: fc.constantFrom(ISSUER, v.legacyTokenIssuer), alg: fc.string(), kid: fc.jsonValue() })
        .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
        try {
          expect(await authenticator.authenticateToken(parts.join('.'), [])).toBeUndefined();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});

describe('service account token', () => {
  const spare = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claimsOf = (token: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

  it('is accepted from every configured issuer and key, and from no other', async () => {
    const { clock, serviceAccounts, secrets, pods, metrics } = setUp();
    const authenticator = createServiceAccountAuthenticator({
      vocabulary: v,
      clock,
      serviceAccounts,
      secrets,
      pods,
      metrics,
      tokenCache: createTokenCacheMetrics(metrics, clock),
      publicKeys: [publicKey, spare.publicKey],
      issuers: [ISSUER, 'https://former'],
      apiAudiences: AUDIENCES,
    });
    const bound = {
      namespace: 'ns',
      serviceAccount: { name: 'robot', uid: 'u1' },
      audiences: AUDIENCES,
      issuedAt: START / 1000,
      expiresAt: START / 1000 + 600,
    };
    for (const key of [privateKey, spare.privateKey])
      for (const name of [ISSUER, 'https://former']) {
        const created = createTokenIssuer({ privateKey: key, issuer: name, names: v });
        expect(await authenticator.authenticateToken(await created.boundToken(bound), [])).toBeDefined();
      }
    const other = createTokenIssuer({ privateKey, issuer: 'https://other', names: v });
    expect(await authenticator.authenticateToken(await other.boundToken(bound), [])).toBeUndefined();
    const forged = createTokenIssuer({ privateKey: stranger.privateKey, issuer: ISSUER, names: v });
    await refused(authenticator.authenticateToken(await forged.boundToken(bound), []));
  });

  it('is invalid once its account is deleted, even if the account is created again', async () => {
    const { token, authenticator, serviceAccounts } = setUp();
    const held = await token();
    expect(await authenticator.authenticateToken(held, [])).toBeDefined();
    serviceAccounts.delete('ns', 'robot');
    await refused(authenticator.authenticateToken(held, []));
    serviceAccounts.set({ metadata: { namespace: 'ns', name: 'robot', uid: 'again' } });
    expect(await refused(authenticator.authenticateToken(held, []))).toBe(
      'service account UID (again) does not match claim (u1)',
    );
    expect(claimsOf(held)['sub']).toBe('system:serviceaccount:ns:robot');
  });

  it('is counted and annotated for the audit log after the requested lifetime', async () => {
    const { token, authenticator, clock, metrics } = setUp();
    const injected = await token({
      expirationSeconds: 3607,
      boundObjectRef: { kind: 'Pod', name: 'p', uid: 'u2', apiVersion: 'v1' },
    });
    expect((await authenticator.authenticateToken(injected, []))?.annotations).toBeUndefined();
    clock.jump(3_607_000 + 5_000);
    expect((await authenticator.authenticateToken(injected, []))?.annotations).toEqual({
      'authentication.k8s.io/stale-token':
        'subject: system:serviceaccount:ns:robot, seconds after warning threshold: 5',
    });
    const { text } = await metrics.expose();
    expect(text).toContain('\nserviceaccount_stale_tokens_total 1\n');
    expect(text).toContain('\nserviceaccount_valid_tokens_total 1\n');
    expect(text).toContain('\nserviceaccount_legacy_tokens_total 0\n');
  });

  it('is rejected if its header contains or links a key', async () => {
    const { token, authenticator } = setUp();
    const claims = claimsOf(await token());
    const forger = issuerKey('forger');
    for (const header of [
      { jwk: publicJwk(forger) },
      { jku: 'https://evil.test/keys' },
      { kid: issuer.keyId },
      { kid: '../../../dev/null' },
      { kid: '' },
    ])
      await refused(authenticator.authenticateToken(await signedToken(claims, forger, header), []));
  });
});

describe('legacy service account token', () => {
  const legacy = { namespace: 'ns', secretName: 't', serviceAccount: { name: 'robot', uid: 'u1' }, id: 'i1' };

  it('is accepted as long as its Secret contains it', async () => {
    const { authenticator, secrets, serviceAccounts, metrics } = setUp();
    const token = await issuer.legacyToken(legacy);
    expect(await refused(authenticator.authenticateToken(token, []))).toBe('Token has been invalidated');
    const secret = (text: string, deletionTimestamp?: string): Secret => ({
      metadata: { namespace: 'ns', name: 't', ...(deletionTimestamp ? { deletionTimestamp } : {}) },
      data: { token: Buffer.from(text).toString('base64') },
    });
    secrets.set(secret('another'));
    expect(await refused(authenticator.authenticateToken(token, []))).toBe(
      "Token does not match server's copy",
    );
    secrets.set(secret(token));
    expect(await authenticator.authenticateToken(token, [])).toMatchObject({
      audiences: ['api'],
      annotations: { 'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:robot' },
    });
    expect((await metrics.expose()).text).toContain('\nserviceaccount_legacy_tokens_total 1\n');
    serviceAccounts.set({ metadata: { namespace: 'ns', name: 'robot', uid: 'new' } });
    expect(await refused(authenticator.authenticateToken(token, []))).toBe(
      'ServiceAccount UID (new) does not match claim (u1)',
    );
    secrets.set(secret(token, '2026-01-01T00:00:00Z'));
    expect(await refused(authenticator.authenticateToken(token, []))).toBe('Token has been invalidated');
  });
});

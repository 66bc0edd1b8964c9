import { beforeAll, describe, expect, it } from 'vitest';
import {
  type TestIssuer,
  createTestIssuer,
  issuerKey,
  publicJwk,
  signedToken,
} from '../../../apiserver/auth/issuer.fixture.ts';
import {
  clock,
  file,
  listen,
  named,
  leap,
  send,
  serve,
  servers,
  strangers,
  whoAmI,
  startServersHere,
} from './authenticating-server.ts';

startServersHere();

describe('OpenID Connect', () => {
  const [first, second] = [issuerKey('first', 'rsa'), issuerKey('second', 'rsa')];
  let issuer: TestIssuer;
  let issuerUrl: string;
  let url: string;
  const claims = (over: object = {}) => ({
    iss: issuerUrl,
    aud: 'cluster',
    sub: 'jane',
    exp: Math.floor(clock.now() / 1000) + 600,
    groups: ['devs'],
    tier: 'gold',
    ...over,
  });

  beforeAll(async () => {
    issuer = createTestIssuer(() => issuerUrl, [publicJwk(first)]);
    issuerUrl = await listen(issuer.handler);
    url = await serve(
      `--oidc-issuer-url=${issuerUrl}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${file('issuer-ca.pem', servers.certificatePem)}`,
      '--oidc-username-claim=sub',
      '--oidc-username-prefix=oidc:',
      '--oidc-groups-claim=groups',
      '--oidc-groups-prefix=oidc:',
      '--oidc-required-claim=tier=gold',
    );
  });

  it('authenticates the user whom the issuer names', async () => {
    expect(await whoAmI(url, { token: await signedToken(claims(), first) })).toEqual({
      username: 'oidc:jane',
      groups: ['oidc:devs', 'system:authenticated'],
    });
    expect(issuer.requested).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it('rejects tokens that are for another audience, expired, incomplete or forged', async () => {
    for (const over of [
      { aud: 'else' },
      { exp: 1 },
      { tier: 'tin' },
      { nbf: Math.floor(clock.now() / 1000) + 400 },
    ])
      expect(await named(url, { token: await signedToken(claims(over), first) })).toBe(401);
    expect(await named(url, { token: await signedToken(claims(), second) })).toBe(401);
    const { status, text } = await send(url, 'GET', '/api', {
      token: await signedToken(claims({ exp: 1 }), first),
    });
    expect([status, (JSON.parse(text) as { message: string }).message]).toEqual([401, 'Unauthorized']);
  });

  it("accepts the issuer's new key, and rejects the old one", async () => {
    issuer.keys = [publicJwk(second)];
    leap(11_000);
    expect(await named(url, { token: await signedToken(claims(), second) })).toBe('oidc:jane');
    expect(await named(url, { token: await signedToken(claims(), first) })).toBe(401);
  });

  it('rejects an issuer whose certificate it cannot verify', async () => {
    const impostor = createTestIssuer(() => impostorUrl, [publicJwk(first)]);
    const impostorUrl: string = await listen(impostor.handler, strangers);
    const other = await serve(
      `--oidc-issuer-url=${impostorUrl}`,
      '--oidc-client-id=cluster',
      `--oidc-ca-file=${file('issuer-ca.pem', servers.certificatePem)}`,
    );
    const token = await signedToken(claims({ iss: impostorUrl }), first);
    expect(await named(other, { token })).toBe(401);
    expect(impostor.requested).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { signedToken } from '../../../apiserver/auth/issuer.fixture.ts';
import { generateKeyPair } from '../../../base/pki/keys.ts';
import { file, named, send, serve, startServersHere } from './authenticating-server.ts';

startServersHere();

describe('service account tokens', () => {
  it('authenticate for several keys and issuers, and can be verified by the discovery documents', async () => {
    const former = generateKeyPair('rsa-2048');
    const url = await serve(
      `--service-account-key-file=${file('a.pem', former.publicKey.export({ type: 'spki', format: 'pem' }).toString())}`,
      '--service-account-issuer=https://now.test',
      '--service-account-issuer=https://before.test',
      '--service-account-jwks-uri=https://keys.test/jwks',
      '--service-account-max-token-expiration=1h',
    );
    const root = { token: 'root-token' };
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const made = await send(url, 'POST', accounts, root, { metadata: { name: 'robot' } });
    expect(made.status).toBe(201);
    const asked = await send(url, 'POST', `${accounts}/robot/token`, root, {
      spec: { expirationSeconds: 7200 },
    });
    const warning = 'requested expiration of 7200 seconds shortened to 3600 seconds';
    expect(asked.headers['warning']).toEqual([`299 - "${warning}"`]);
    const { token } = (JSON.parse(asked.text) as { status: { token: string } }).status;
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(payload).toMatchObject({
      iss: 'https://now.test',
      aud: ['https://now.test', 'https://before.test'],
    });
    const robot = 'system:serviceaccount:default:robot';
    expect(await named(url, { token })).toBe(robot);
    const old = { id: 'old', algorithm: 'RS256', privateKey: former.privateKey, publicKey: former.publicKey };
    expect(
      await named(url, { token: await signedToken({ ...payload, iss: 'https://before.test' }, old) }),
    ).toBe(robot);
    expect(
      await named(url, { token: await signedToken({ ...payload, iss: 'https://later.test' }, old) }),
    ).toBe(401);
    const configuration = await send(url, 'GET', '/.well-known/openid-configuration', { token });
    expect([
      configuration.status,
      configuration.headers['content-type'],
      configuration.headers['cache-control'],
    ]).toEqual([200, ['application/json'], ['public, max-age=3600']]);
    expect(JSON.parse(configuration.text)).toMatchObject({
      issuer: 'https://now.test',
      jwks_uri: 'https://keys.test/jwks',
    });
    const keys = await send(url, 'GET', '/openid/v1/jwks', { token });
    expect(keys.headers['content-type']).toEqual(['application/jwk-set+json']);
    expect((JSON.parse(keys.text) as { keys: { alg: string }[] }).keys.map(({ alg }) => alg)).toEqual([
      'ES256',
      'RS256',
    ]);
    expect((await send(url, 'GET', '/openid/v1/jwks', {})).status).toBe(403);
    await send(url, 'DELETE', `${accounts}/robot`, root);
    expect(await named(url, { token })).toBe(401);
    await send(url, 'POST', accounts, root, { metadata: { name: 'robot' } });
    expect(await named(url, { token })).toBe(401);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createTokenIssuer } from '../../base/tokens/issuer.ts';
import { issuerDiscovery } from './issuer-discovery.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const options = {
  issuer: 'https://issuer.test',
  publicKeys: [rsa.publicKey, ec.publicKey],
  serverUrl: () => 'https://10.0.0.1:6443',
};

it('issuer discovery publishes the URL of the keys and their signing algorithms', () => {
  const [configuration, keys] = issuerDiscovery(options);
  expect(configuration).toMatchObject({
    path: '/.well-known/openid-configuration',
    mediaType: 'application/json',
    headers: { 'cache-control': 'public, max-age=3600' },
  });
  expect(configuration?.content()).toEqual({
    issuer: 'https://issuer.test',
    jwks_uri: 'https://10.0.0.1:6443/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  });
  expect(keys).toMatchObject({ path: '/openid/v1/jwks', mediaType: 'application/jwk-set+json' });
  const [elsewhere] = issuerDiscovery({ ...options, jwksUri: 'https://keys.test/jwks' });
  expect(elsewhere?.content()).toMatchObject({ jwks_uri: 'https://keys.test/jwks' });
});

it('issuer discovery publishes keys that verify tokens, without private parts', async () => {
  const [, keys] = issuerDiscovery({ ...options, publicKeys: [rsa.privateKey, ec.privateKey] });
  const set = keys?.content() as { keys: Record<string, unknown>[] };
  for (const key of set.keys)
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key[secret]).toBeUndefined();
  for (const { privateKey } of [rsa, ec]) {
    const token = await createTokenIssuer({ privateKey, issuer: options.issuer, names: v }).boundToken({
      namespace: 'ns',
      serviceAccount: { name: 'robot', uid: 'u' },
      audiences: ['vault'],
      issuedAt: 1_767_225_600,
      expiresAt: 1_767_229_200,
    });
    const { payload } = await jwtVerify(token, createLocalJWKSet(set as never), {
      issuer: options.issuer,
      audience: 'vault',
      currentDate: new Date(1_767_226_000_000),
    });
    expect(payload.sub).toBe('system:serviceaccount:ns:robot');
  }
});

it('issuer discovery publishes nothing for an issuer that is not a plain https URL', () => {
  for (const issuer of ['issuer', 'http://issuer.test', 'https://issuer.test?a=b', 'https://issuer.test#c'])
    expect(issuerDiscovery({ ...options, issuer })).toEqual([]);
});

import { type KeyObject, X509Certificate, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { readAuthentication } from '../../../cli/server/authentication.ts';
import { apiServerCommandFlags } from '../../../cli/flags/flag-tables.ts';
import { parseFlags } from '../../../cli/flags/flags.ts';
import { createLiveFiles } from '../../../cli/files/live-files.ts';
import {
  clients,
  clock,
  file,
  log,
  proxies,
  serving,
  signing,
  startServersHere,
} from './authenticating-server.ts';

startServersHere();

describe('authentication flags', () => {
  const readWith = (key: KeyObject, ...argv: readonly string[]) =>
    readAuthentication(
      parseFlags(apiServerCommandFlags, argv),
      {
        clientCa: () => clients.certificatePem,
        serviceAccountKey: signing,
        servingKey: privateKeyPem(key),
      },
      { vocabulary: kubernetesVocabulary, clock, live: createLiveFiles({ clock, log }) },
    );
  const read = (...argv: readonly string[]) => readWith(serving, ...argv);

  it.each([
    [['--oidc-issuer-url=https://a.test'], 'oidc-issuer-url and oidc-client-id should be specified together'],
    [['--oidc-client-id=a'], 'oidc-issuer-url and oidc-client-id should be specified together'],
    [['--oidc-issuer-url=http://a.test', '--oidc-client-id=a'], "require 'https'"],
    [
      ['--oidc-issuer-url=https://a.test', '--oidc-client-id=a', '--oidc-signing-algs=HS256'],
      'unsupported signing alg',
    ],
    [['--requestheader-username-headers=X-A'], 'needs --requestheader-client-ca-file'],
    [['--service-account-max-token-expiration=5m'], 'must be between 1 hour and 2^32 seconds'],
    [['--service-account-jwks-uri=http://a.test'], 'requires https scheme'],
    [['--service-account-issuer=https://a,https://a'], 'more than once'],
    [['--authentication-token-webhook-config-file=/nowhere'], '/nowhere does not exist'],
  ])('reject %j', async (argv, reason) => {
    await expect(read(...argv)).rejects.toThrow(reason);
  });

  it('use the serving key for tokens by default if its type can sign', async () => {
    const { serviceAccountKeys: keys } = await read();
    expect(keys?.map((key) => key.equals(createPublicKey(serving)))).toEqual([true]);
    const named = await read(`--service-account-key-file=${file('own.pem', privateKeyPem(signing))}`);
    expect(named.serviceAccountKeys?.map((key) => key.equals(createPublicKey(signing)))).toEqual([true]);
    const { privateKey: silent } = generateKeyPairSync('ed25519');
    expect((await readWith(silent)).serviceAccountKeys).toEqual([]);
  });

  it('skip the EC PARAMETERS block that OpenSSL writes before a key', async () => {
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const path = file('curve.pem', parameters + privateKeyPem(signing));
    const { serviceAccountKeys: keys } = await read(`--service-account-key-file=${path}`);
    expect(keys?.map((key) => key.equals(createPublicKey(signing)))).toEqual([true]);
  });

  it('keep only the public half of a private key file', async () => {
    const key = generateKeyPair('ec-p256').privateKey;
    const settings = await read(`--service-account-key-file=${file('private.pem', privateKeyPem(key))}`);
    expect(settings.serviceAccountKeys?.map(({ type }) => type)).toEqual(['public']);
    expect(settings.serviceAccountKeys?.[0]?.equals(createPublicKey(key))).toBe(true);
  });

  it('publish the proxy authority next to the client authority', async () => {
    const settings = await read(
      `--requestheader-client-ca-file=${file('proxy-ca.pem', proxies.certificatePem)}`,
      '--requestheader-username-headers=X-Remote-User',
    );
    const known = new X509Certificate(settings.authenticatingProxy?.clientCa() ?? '');
    expect(known.subject).toBe('CN=proxies');
    expect(new X509Certificate(settings.clientCa()).subject).toBe('CN=clients');
  });
});

import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSystemRandom } from '../../../base/random/system.ts';
import { parseConfiguration, providersOf } from './configuration.ts';

/** Base64 secret of 32 bytes that no message may contain. */
const SECRET = 'Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2FuYXJ5Y2E=';

const text = (resources: unknown, changes: object = {}): string =>
  JSON.stringify({
    kind: 'EncryptionConfiguration',
    apiVersion: 'apiserver.config.orch.io/v1',
    resources,
    ...changes,
  });

const one = (provider: unknown, resources: unknown = ['secrets']): string =>
  text([{ resources, providers: [provider] }]);

const keyed = (secret: unknown, name: unknown = 'k') => ({ keys: [{ name, secret }] });

describe('an encryption configuration', () => {
  it('lists the providers of each resource in file order, across several entries', async () => {
    const yaml = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets, configmaps]
    providers:
      - secretbox: {keys: [{name: box, secret: ${SECRET}}]}
      - aescbc:
          keys:
            - {name: new, secret: ${SECRET}}
            - {name: old, secret: AAAAAAAAAAAAAAAAAAAAAA==}
      - identity: {}
  - resources: [widgets.example.com, secrets]
    providers:
      - aesgcm: {keys: [{name: gcm, secret: AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA}]}
`;
    const providers = await providersOf(
      parseConfiguration(yaml, kubernetesVocabulary),
      createSystemRandom().bytes,
    );
    const shown = [...providers].map(([resource, list]) => [
      resource,
      list.map(({ name, keys }) => [name, ...keys.map((key) => key.name)].join(' ')),
    ]);
    const first = ['secretbox box', 'aescbc new old', 'identity'];
    expect(Object.fromEntries(shown)).toEqual({
      secrets: [...first, 'aesgcm gcm'],
      configmaps: first,
      'widgets.example.com': ['aesgcm gcm'],
    });
  });

  it.each([
    ['{', 'it is neither YAML nor JSON'],
    ['[]', 'expected kind EncryptionConfiguration in version apiserver.config.orch.io/v1'],
    [text([], { kind: 'EncryptionConfig' }), 'expected kind EncryptionConfiguration'],
    [text([], { apiVersion: 'v1' }), 'in version apiserver.config.orch.io/v1'],
    [text(undefined), 'resources: Required value: at least one resources is required'],
    [text([{}]), 'resources[0].resources: Required value: at least one resources[0].resources is required'],
    [text([{}]), 'resources[0].providers: Required value: at least one resources[0].providers is required'],
    [one({}), 'resources[0].providers[0]: Required value'],
    [one({ identity: {}, aescbc: keyed(SECRET) }), 'more than one provider specified in a single element'],
    [
      one({ identity: {} }, ['*.*']),
      'resources[0].resources[0]: Invalid value: "*.*": wildcards require release 1.27',
    ],
    [one({ identity: {} }, ['*.apps']), 'Invalid value: "*.apps": wildcards'],
    [
      one({ kms: { name: SECRET, endpoint: 'unix:///tmp/x' } }),
      'resources[0].providers[0].kms: Invalid value: "REDACTED": KMS is not supported: use aesgcm, aescbc or secretbox',
    ],
    [one({ aescbc: {} }), 'at least one resources[0].providers[0].aescbc.keys is required'],
    [one({ aescbc: keyed(SECRET, '') }), 'keys[0].name: Required value: name is a mandatory field for a key'],
    [one({ aescbc: keyed('') }), 'keys[0].secret: Required value: secret is a mandatory field for a key'],
    [one({ secretbox: keyed(`${SECRET}!`) }), 'Invalid value: "REDACTED": secrets must be base64 encoded'],
    [
      one({ secretbox: keyed('AAAA') }),
      'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [32]',
    ],
    [one({ aesgcm: keyed(`${SECRET.slice(0, -4)}AAAAAAAA`) }), 'expected one of [16 24 32]'],
    [
      one({ aesgcm: { ...keyed(SECRET), key: SECRET } }),
      'unknown field "resources[0].providers[0].aesgcm.key"',
    ],
    [one({ aesgcm: keyed({ [SECRET]: SECRET }) }), 'a field has a value of the wrong type'],
    [one({ aesgcm: SECRET }), 'a field has a value of the wrong type'],
    [`secret: "${SECRET}\n- x: [`, 'it is neither YAML nor JSON'],
  ])('is rejected: %s', (configuration, message) => {
    const parse = (): unknown => parseConfiguration(configuration, orchVocabulary);
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ code: 'ERR_ENCRYPTION_CONFIGURATION' }));
    expect(parse).not.toThrow(expect.objectContaining({ cause: expect.anything() }));
    expect(parse).not.toThrow(SECRET.slice(0, 20));
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Transformer } from '../../apiserver/storage/transformer.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { readEncryption } from './encryption.ts';

const surroundings = {
  scheme: createScheme(kubernetesVocabulary, builtinKinds),
  random: createSystemRandom(),
};

async function read(...resources: readonly string[]): Promise<Transformer> {
  const folder = mkdtempSync(join(tmpdir(), 'encryption-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'config.yaml');
  const keys = [{ name: 'k', secret: Buffer.alloc(32).toString('base64') }];
  const configuration = {
    kind: 'EncryptionConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1',
    resources: [{ resources, providers: [{ secretbox: { keys } }, { identity: {} }] }],
  };
  writeFileSync(path, JSON.stringify(configuration));
  return readEncryption(path, surroundings);
}

const value = Buffer.from('{"kind":"Secret"}');

describe('--encryption-provider-config', () => {
  it.each([
    ['secrets', '/registry/core/secrets/default/a'],
    ['deployments.apps', '/registry/apps/deployments/default/a'],
    [
      'certificatesigningrequests.certificates.k8s.io',
      '/registry/certificates.k8s.io/certificatesigningrequests/a',
    ],
    ['events.events.k8s.io', '/registry/core/events/default/a'],
    ['widgets.example.com', '/registry/example.com/widgets/default/a'],
  ])('encrypts %s in the store', async (resource, key) => {
    const stored = (await read(resource)).toStorage(key, value);
    expect(stored.toString('latin1')).toMatch(/^k8s:enc:secretbox:v1:k:/);
    expect((await read('configmaps')).toStorage(key, value)).toEqual(value);
  });

  it('stores plain values if the flag is empty', async () => {
    const transformer = await readEncryption('', surroundings);
    expect(transformer.toStorage('/registry/core/secrets/default/a', value)).toBe(value);
  });

  it.each([
    ['secret', 'names "secret", which is no stored resource of the core group: use a plural such as secrets'],
    ['deployments', 'names "deployments", which is no stored resource of the core group'],
    ['tokenreviews.authentication.k8s.io', 'which is no stored resource of authentication.k8s.io'],
    ['*.*', 'wildcards require release 1.27: name each resource'],
  ])('rejects the resource %s', async (resource, message) => {
    await expect(read(resource)).rejects.toThrow(message);
  });

  it('names a file that is missing', async () => {
    await expect(readEncryption('/nowhere/encryption.yaml', surroundings)).rejects.toThrow(
      '/nowhere/encryption.yaml does not exist',
    );
  });
});

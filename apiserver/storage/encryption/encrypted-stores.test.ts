import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { builtinKinds, secrets } from '../../../api/groups/index.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createEtcdServer, type EtcdServer } from '../../../test/etcd-server.ts';
import { environment } from '../../../test/real-time.ts';
import { service } from '../../../test/services.ts';
import { createSystemRandom } from '../../../base/random/system.ts';
import { createRegistry } from '../../registry/create-registry.ts';
import { deleting, writing } from '../../registry/registry.fixture.ts';
import type { ResourceRegistry } from '../../registry/registry.ts';
import { openEtcdStorage } from '../etcd/etcd.ts';
import { openLmdbStorage } from '../lmdb.ts';
import { stampResourceVersion } from '../stamp.ts';
import { describeStorage, plainStamp } from '../storage.conformance.ts';
import type { Change, Storage } from '../storage.ts';
import type { Transformer } from '../transformer.ts';
import { createAesGcm } from './ciphers.ts';
import { secretsBy } from './encryption.fixture.ts';

const etcd = service('etcd', 'encryption in etcd');
const CANARY = 'c4n4ry-c4n4ry-c4n4ry';
const PREFIX = '/registry/core/secrets/';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'encryption-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('storage that encrypts every value', () => {
  const cipher = createAesGcm(Buffer.alloc(32, 1), createSystemRandom().bytes);
  const transformer: Transformer = {
    toStorage: (key, value) => cipher.encrypt(key, value),
    fromStorage(key, stored) {
      const value = cipher.decrypt(key, stored);
      if (value === undefined) throw new Error('decrypts what it has not encrypted');
      return { value, isStale: false };
    },
  };
  const directories: string[] = [];
  afterAll(() => {
    for (const path of directories) rmSync(path, { recursive: true, force: true });
  });
  describeStorage('storage in LMDB', async (limits) => {
    const path = mkdtempSync(join(tmpdir(), 'encryption-'));
    directories.push(path);
    return openLmdbStorage({ ...limits, path, stamp: plainStamp, transformer });
  });
});

/** Durable store for tests. Each `open` opens the same data. */
interface Durable {
  open(transformer: Transformer): Promise<Storage>;
  /** Returns everything that the store has written to disk. */
  bytes(): Promise<Buffer>;
}

const secret = (name: string, value: string): object => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name },
  data: { value: Buffer.from(value).toString('base64') },
  stringData: { text: value },
});

async function registryOn(storage: Storage): Promise<ResourceRegistry> {
  const registry = createRegistry({
    storage,
    scheme: createScheme(orchVocabulary, builtinKinds),
    environment: { ...environment, random: createSystemRandom() },
  });
  await registry.start();
  onTestFinished(() => registry.stop());
  return registry.of(secrets);
}

const storedValue = async (storage: Storage, name: string): Promise<string | undefined> =>
  (await storage.get(`${PREFIX}default/${name}`))?.value.toString();

/**
 * Spellings of the canary: plain text, and base64 at each of the three offsets within a group of three bytes.
 */
const forms: readonly string[] = [
  CANARY,
  ...[0, 1, 2].map((skip) =>
    Buffer.from('x'.repeat(skip) + CANARY)
      .toString('base64')
      .slice(4, -4),
  ),
];

const plainIn = async (store: Durable): Promise<boolean> => {
  const kept = await store.bytes();
  return forms.some((form) => kept.includes(form));
};

function describeEncrypted(name: string, fresh: () => Durable): void {
  describe(name, () => {
    it('writes no plain value to its files, neither of current objects nor of past ones', async () => {
      const store = fresh();
      const storage = await store.open(await secretsBy('secretbox k=1'));
      const registry = await registryOn(storage);
      for (const each of ['a', 'b', 'c']) await registry.create('default', secret(each, CANARY), writing());
      await registry.update('default', 'a', '', secret('a', `${CANARY}2`), writing());
      await registry.delete('default', 'b', deleting(), writing());
      expect(await plainIn(store)).toBe(false);
      await storage.compact(await storage.revision());
      expect(await plainIn(store)).toBe(false);
      await storage.close();
      expect(await plainIn(store)).toBe(false);
      const again = await store.open(await secretsBy('secretbox k=1'));
      expect(JSON.parse((await storedValue(again, 'a')) ?? '')).toMatchObject({
        data: { text: Buffer.from(`${CANARY}2`).toString('base64') },
      });
      await again.close();
    });

    it('returns the history of encrypted values after a restart', async () => {
      const store = fresh();
      const open = async () => store.open(await secretsBy('aesgcm k=1'));
      const before = await open();
      const start = await before.revision();
      const registry = await registryOn(before);
      await registry.create('default', secret('a', 'one'), writing());
      await registry.update('default', 'a', '', secret('a', 'two'), writing());
      await registry.delete('default', 'a', deleting(), writing());
      const seenBy = async (storage: Storage): Promise<readonly string[]> => {
        const changes: Change[] = [];
        await storage.watch(PREFIX, start, { onChange: (each) => void changes.push(each), onEnd: () => {} });
        return changes.map(({ type, value }) => `${type} ${value.toString()}`);
      };
      const wanted = await seenBy(before);
      expect(wanted).toHaveLength(3);
      await before.close();
      const after = await open();
      expect(await seenBy(after)).toEqual(wanted);
      await after.close();
    });

    it('re-encrypts an object with the first key when it is replaced by an equal object, and only once', async () => {
      const store = fresh();
      const plain = await store.open(await secretsBy('identity'));
      await (await registryOn(plain)).create('default', secret('a', CANARY), writing());
      await plain.close();
      expect(await plainIn(store)).toBe(true);
      for (const providers of [
        ['aescbc one=1', 'identity'],
        ['aescbc two=2 one=1'],
        ['aesgcm two=2', 'aescbc two=2'],
      ]) {
        const storage = await store.open(await secretsBy(...providers));
        const registry = await registryOn(storage);
        const read = await registry.get('default', 'a', '');
        const same = () => registry.update('default', 'a', '', read.object, writing());
        const written = await same();
        expect(written.object.metadata?.resourceVersion).not.toBe(read.object.metadata?.resourceVersion);
        const { bytes } = await registry.update('default', 'a', '', written.object, writing());
        expect(bytes).toEqual(written.bytes);
        await storage.close();
      }
      const last = await store.open(await secretsBy('aesgcm two=2'));
      expect(await storedValue(last, 'a')).toContain(Buffer.from(CANARY).toString('base64'));
      await last.close();
    });

    it('loses nothing when keys are rotated under load', async () => {
      const store = fresh();
      const names = Array.from({ length: 20 }, (_, at) => `s${at}`);
      const old = await store.open(await secretsBy('aescbc old=1'));
      const first = await registryOn(old);
      for (const each of names) await first.create('default', secret(each, '0'), writing());
      await old.close();
      const storage = await store.open(await secretsBy('secretbox new=2', 'aescbc old=1'));
      const registry = await registryOn(storage);
      const rewrites = names.map(async (each) => {
        const { object } = await registry.get('default', each, '');
        // Does what `kubectl replace` does with an object it has read: fails with a conflict if the object
        // has changed.
        await registry.update('default', each, '', object, writing()).catch(() => {});
      });
      const load = names.map(async (each) => {
        for (let value = 1; value <= 10; value++)
          await registry.update('default', each, '', secret(each, String(value)), writing());
      });
      await Promise.all([...rewrites, ...load]);
      await storage.close();
      const rotated = await store.open(await secretsBy('secretbox new=2'));
      for (const each of names)
        expect(await storedValue(rotated, each)).toContain(Buffer.from('10').toString('base64'));
      await rotated.close();
    });

    it.each([
      [
        'without a configuration',
        ['identity'],
        'it is encrypted and key k of aesgcm is not in the encryption configuration',
      ],
      [
        'without the key',
        ['aesgcm other=1'],
        'it is encrypted and key k of aesgcm is not in the encryption configuration',
      ],
      [
        'with another secret',
        ['aesgcm k=2'],
        'key k of aesgcm in the encryption configuration has another secret',
      ],
    ])('does not open %s, with an error message of one sentence', async (_name, providers, message) => {
      const store = fresh();
      const storage = await store.open(await secretsBy('aesgcm k=1'));
      await (await registryOn(storage)).create('default', secret('a', CANARY), writing());
      await storage.close();
      const opened = store.open(await secretsBy(...providers));
      await expect(opened).rejects.toThrow(`the value at ${PREFIX}default/a cannot be read: ${message}`);
      const right = await store.open(await secretsBy('aesgcm k=1'));
      expect(await storedValue(right, 'a')).toBeDefined();
      await right.close();
    });

    it('opens without a key that only past values need', async () => {
      const store = fresh();
      const old = await store.open(await secretsBy('aesgcm old=1'));
      const before = await registryOn(old);
      for (const each of ['a', 'b', 'c']) await before.create('default', secret(each, 'one'), writing());
      await old.close();
      const both = await store.open(await secretsBy('aesgcm new=2 old=1'));
      const registry = await registryOn(both);
      await registry.delete('default', 'a', deleting(), writing());
      await registry.update('default', 'b', '', secret('b', 'two'), writing());
      await registry.delete('default', 'c', deleting(), writing());
      await registry.create('default', secret('c', 'three'), writing());
      await both.close();
      for (let start = 0; start < 2; start++) {
        const storage = await store.open(await secretsBy('aesgcm new=2'));
        const { items } = await storage.list(PREFIX);
        expect(items.map(({ key }) => key.slice(PREFIX.length))).toEqual(['default/b', 'default/c']);
        await storage.compact(await storage.revision());
        await storage.close();
      }
    });
  });
}

describeEncrypted('a store in LMDB', () => {
  const path = directory();
  return {
    open: (transformer) => openLmdbStorage({ path, stamp: stampResourceVersion, transformer }),
    async bytes() {
      const files = readdirSync(path, { recursive: true, withFileTypes: true });
      return Buffer.concat(
        files.filter((file) => file.isFile()).map((file) => readFileSync(join(file.parentPath, file.name))),
      );
    },
  };
});

describe.skipIf(etcd.missing)('etcd with encrypted values', () => {
  let server: EtcdServer;
  let stores = 0;
  beforeAll(async () => {
    server = await createEtcdServer(etcd.path ?? '');
    await server.start();
  });
  afterAll(() => server.close());

  describeEncrypted('a store in etcd', () => {
    const prefix = `/store-${stores++}`;
    return {
      open: (transformer) =>
        openEtcdStorage({
          ...environment,
          endpoints: [server.url],
          prefix,
          stamp: stampResourceVersion,
          transformer,
        }),
      bytes: async () => server.files(),
    };
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configMaps, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createCertificateAuthority } from '../../base/pki/certificates.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createControllers } from '../../controllers/index.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { controllerSettings, ownName } from './controllers.ts';
import { upFlags } from '../flags/flag-tables.ts';
import { parseFlags } from '../flags/flags.ts';
import { createLiveFiles } from '../files/live-files.ts';
import type { Provisioned } from '../files/provision.ts';

test.each([
  ['ttl-after-finished', 'ttlafterfinished'],
  ['-ttl-after-finished', '-ttlafterfinished'],
  ['-cronjob', '-cronjob'],
  ['*', '*'],
])('maps %s of --controllers to %s', (item, own) => expect(ownName(item)).toBe(own));

const authority = (commonName: string): string =>
  createCertificateAuthority(
    { commonName, organizations: [] },
    generateKeyPair('ec-p256'),
    { notBeforeMs: 0, notAfterMs: 86_400_000 },
    createSeededRandom(1),
  ).certificatePem;

test('--root-ca-file is read again within five seconds, and an invalid file changes nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'root-ca-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'ca.crt');
  const [first, second] = [authority('first'), authority('second')];
  writeFileSync(path, first);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = join(folder, 'sa.key');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const clock = createSimulatedClock();
  const live = createLiveFiles({ clock, log: silentLogger });
  let changes = 0;
  live.onChange(() => void changes++);
  const flags = parseFlags(upFlags, [`--root-ca-file=${path}`, `--service-account-private-key-file=${key}`]);
  // The data directory provides only the authority that signs requests.
  const provisioned = async () => ({ signingCa: {} }) as Provisioned;
  const settings = await controllerSettings(flags, orchVocabulary, { provisioned }, live);
  await live.start();
  onTestFinished(() => live.stop());
  const afterReading = async (text: string): Promise<string> => {
    writeFileSync(path, text);
    await clock.advance(5_000);
    await expect.poll(() => clock.pending).toBeGreaterThan(0);
    return settings.rootCa;
  };
  expect(settings.rootCa).toBe(first);
  expect(await afterReading(second.slice(0, 100))).toBe(first);
  expect(await afterReading(second)).toBe(second);
  expect(changes).toBe(1);
});

test('a changed root CA is written to the ConfigMap of each namespace and to the token Secrets', async () => {
  let rootCa = 'the first';
  const { client, manager, clock, eventually } = await useWorld({
    controllers: ['root-ca-cert-publisher', 'serviceaccount-token'],
    definitions: (settings) =>
      createControllers({
        ...settings,
        get rootCa() {
          return rootCa;
        },
      }),
  });
  await client.namespaced(serviceAccounts, 'team').create({ metadata: { name: 'robot' } });
  const published = async (): Promise<readonly (string | undefined)[]> => {
    const map = await client.namespaced(configMaps, 'team').get(orchVocabulary.rootCaConfigMap);
    const [secret] = (await client.namespaced(secrets, 'team').list()).items;
    return [map.data?.['ca.crt'], Buffer.from(secret?.data?.['ca.crt'] ?? '', 'base64').toString()];
  };
  await eventually(async () => expect(await published()).toEqual([rootCa, rootCa]));
  await clock.advance(60_000);
  rootCa = 'the second';
  manager.manager.enqueueAll();
  await eventually(async () => expect(await published()).toEqual(['the second', 'the second']));
});

test('settings without a file or a data directory are omitted, and so are the controllers that need them', async () => {
  const live = createLiveFiles({ clock: createSimulatedClock(), log: silentLogger });
  const flags = parseFlags(upFlags, []);
  const keys = { provisioned: async () => undefined, serverCa: 'the CA of the client configuration' };
  const settings = await controllerSettings(flags, orchVocabulary, keys, live);
  expect(settings).toMatchObject({ serviceAccountKey: undefined, rootCa: keys.serverCa });
  const names = createControllers(settings).map(({ name }) => name);
  expect(names).not.toContain('serviceaccount-token');
  expect(names).not.toContain('csrsigning');
  expect(names).toContain('root-ca-cert-publisher');
  expect(createControllers({ ...settings, rootCa: '' }).map(({ name }) => name)).not.toContain(
    'root-ca-cert-publisher',
  );
});

test('a token Secret has no ca.crt if the CA of the server is unknown', async () => {
  const { client, eventually } = await useWorld({
    controllers: ['serviceaccount-token'],
    definitions: (settings) => createControllers({ ...settings, rootCa: '' }),
  });
  await client.namespaced(serviceAccounts, 'team').create({ metadata: { name: 'robot' } });
  await eventually(async () => {
    const [secret] = (await client.namespaced(secrets, 'team').list()).items;
    expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['namespace', 'token']);
  });
});

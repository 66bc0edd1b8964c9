import { X509Certificate } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { orchVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { provision } from './provision.ts';

async function provisioned() {
  const folder = await mkdtemp(join(tmpdir(), 'provision-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const again = (hosts: readonly string[] = []) => provision(folder, { vocabulary, hosts, environment });
  return { folder, again, clock, first: await again() };
}

describe('provisioned files', () => {
  it('are unchanged at the next start', async () => {
    const { again, first } = await provisioned();
    const second = await again();
    expect(second.admin).toEqual(first.admin);
    expect(second.serving).toEqual(first.serving);
    expect(second.ca.certificatePem).toBe(first.ca.certificatePem);
    expect(second.serviceAccountKey.equals(first.serviceAccountKey)).toBe(true);
  });

  it('are valid on a clock that is set back by hours after they were created', async () => {
    const { clock, first } = await provisioned();
    const { ca, frontProxyCa, admin, serving, controllerManager, frontProxy } = first;
    const authorities = [ca.certificatePem, frontProxyCa.certificatePem];
    for (const pem of [
      ...authorities,
      ...[admin, serving, controllerManager, frontProxy].map(({ certificate }) => certificate),
    ])
      expect(Date.parse(new X509Certificate(pem).validFrom)).toBe(clock.now() - 24 * 3_600_000);
  });

  it('are renewed if a wrong clock dated them in the future, with a warning for certificate authorities', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'provision-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const warned: unknown[] = [];
    const log = { ...silentLogger, warn: (fields: unknown) => void warned.push(fields) };
    const start = (year: number) => {
      const clock = createSimulatedClock(Date.UTC(year, 0, 1));
      const environment = { clock, random: createSeededRandom(1), log };
      return provision(folder, { vocabulary, hosts: [], environment });
    };
    const first = await start(2031);
    expect(warned).toEqual([]);
    const { ca, admin, serving } = await start(2026);
    for (const { certificate } of [admin, serving])
      expect(Date.parse(new X509Certificate(certificate).validFrom)).toBe(Date.UTC(2025, 11, 31));
    expect(ca.certificatePem).toBe(first.ca.certificatePem);
    expect(warned).toContainEqual(
      expect.objectContaining({
        certificate: join(folder, 'pki/ca.crt'),
        validFrom: expect.stringContaining('2030'),
      }),
    );
  });

  it.each(['apiserver.crt', 'admin.crt', 'controller-manager.key', 'front-proxy-client.crt'])(
    'are renewed if the damaged file is %s, which an authority can issue again',
    async (name) => {
      const { folder, again, first } = await provisioned();
      await writeFile(join(folder, 'pki', name), 'damaged');
      const { admin, serving, controllerManager, frontProxy, ca, frontProxyCa } = await again();
      for (const { certificate } of [admin, serving, controllerManager])
        expect(new X509Certificate(certificate).verify(ca.certificate.publicKey)).toBe(true);
      expect(new X509Certificate(frontProxy.certificate).verify(frontProxyCa.certificate.publicKey)).toBe(
        true,
      );
      expect(ca.certificatePem).toBe(first.ca.certificatePem);
    },
  );

  it('are renewed if a certificate belongs to another key', async () => {
    const { folder, again, first } = await provisioned();
    await copyFile(join(folder, 'pki', 'apiserver.key'), join(folder, 'pki', 'admin.key'));
    expect((await again()).admin.certificate).not.toBe(first.admin.certificate);
  });

  it('grant full rights only to administrators', async () => {
    const { admin, controllerManager, agentClient, serving, frontProxy } = (await provisioned()).first;
    const subjects = [controllerManager, agentClient, serving, frontProxy].map(
      ({ certificate }) => new X509Certificate(certificate).subject,
    );
    expect(subjects.filter((each) => each.includes('system:masters'))).toEqual([]);
    expect(new X509Certificate(admin.certificate).subject).toContain('system:masters');
  });

  it('include a new node agent certificate if an earlier release granted full rights to the old one', async () => {
    const { folder, again, first, clock } = await provisioned();
    const keys = generateKeyPair('ec-p256');
    const earlier = issueCertificate(
      {
        subject: { commonName: vocabulary.agentClient.user, organizations: ['system:masters'] },
        publicKey: keys.publicKey,
        usages: ['digital signature', 'client auth'],
        notBeforeMs: clock.now(),
        notAfterMs: clock.now() + 365 * 86_400_000,
        names: noAlternativeNames,
      },
      first.ca,
      createSeededRandom(2),
    );
    const file = join(folder, 'pki', 'apiserver-nodeagent-client');
    await writeFile(`${file}.crt`, earlier);
    await writeFile(`${file}.key`, privateKeyPem(keys.privateKey));
    const { agentClient } = await again();
    expect(new X509Certificate(agentClient.certificate).subject).toBe(
      'O=system:nodeagent-api-admin\nCN=orch-apiserver-nodeagent-client',
    );
    expect(await readFile(`${file}.crt`, 'utf8')).toBe(agentClient.certificate);
  });

  it.each(['ca.crt', 'ca.key', 'signing-ca.key', 'front-proxy-ca.crt', 'sa.key'])(
    'are not renewed if the damaged file is %s, which the error names',
    async (name) => {
      const { folder, again } = await provisioned();
      await writeFile(join(folder, 'pki', name), 'damaged');
      await expect(again()).rejects.toMatchObject({
        code: 'ERR_PROVISION',
        message: expect.stringContaining(`${join(folder, 'pki', name)}`),
      });
    },
  );

  it('are rejected if an authority has the key of another authority', async () => {
    const { folder, again } = await provisioned();
    await copyFile(join(folder, 'pki', 'signing-ca.key'), join(folder, 'pki', 'ca.key'));
    await expect(again()).rejects.toThrow(/ca\.key is damaged, restore it: they do not belong together$/);
  });
});

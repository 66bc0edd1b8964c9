import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kubernetesVocabulary as vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { apiServerCommandFlags } from '../flags/flag-tables.ts';
import { parseFlags } from '../flags/flags.ts';
import { createLiveFiles } from '../files/live-files.ts';
import { readNodeAgents } from './node-agents.ts';
import { provision } from '../files/provision.ts';

async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), 'node-agents-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const provisioned = await provision(folder, { vocabulary, hosts: [], environment });
  const read = (...argv: readonly string[]) =>
    readNodeAgents(parseFlags(apiServerCommandFlags, argv), provisioned, createLiveFiles(environment));
  return { folder, provisioned, read };
}

describe('node agent credentials', () => {
  it('default to a certificate of the data directory without verification of the agents', async () => {
    const { provisioned, read } = await setUp();
    const { credential, ca } = await read();
    const shown = new X509Certificate(credential?.().certificate ?? '');
    expect(shown.subject).toBe('O=system:kubelet-api-admin\nCN=kube-apiserver-kubelet-client');
    expect(shown.verify(provisioned.ca.certificate.publicKey)).toBe(true);
    expect(ca).toBeUndefined();
  });

  it('are read from the flags, whose authorities verify the agents', async () => {
    const { folder, provisioned, read } = await setUp();
    const file = join(folder, 'given');
    await writeFile(`${file}.crt`, provisioned.admin.certificate);
    await writeFile(`${file}.key`, provisioned.admin.key);
    const { credential, ca } = await read(
      `--kubelet-client-certificate=${file}.crt`,
      `--kubelet-client-key=${file}.key`,
      `--kubelet-certificate-authority=${join(folder, 'pki', 'ca.crt')}`,
    );
    expect(credential?.()).toEqual(provisioned.admin);
    expect(ca?.()).toBe(provisioned.ca.certificatePem);
  });

  it('require both a certificate and its key', async () => {
    const { read } = await setUp();
    await expect(read('--nodeagent-client-key=x')).rejects.toThrow(
      '--nodeagent-client-certificate and --nodeagent-client-key go together',
    );
  });
});

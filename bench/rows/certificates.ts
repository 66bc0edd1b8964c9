import { type KeyObject, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import {
  type KeyAlgorithm,
  createCertificateAuthority,
  createCertificateRequest,
  generateKeyPair,
  privateKeyPem,
} from '../../base/pki/index.ts';
import { createSystemRandom } from '../../base/random/index.ts';
import { inFolder } from '../rig/folder.ts';
import { forEachNumber } from '../rig/objects.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Figure, type Row, timedBoth, toFigure } from '../row.ts';

const HOUR = 3_600_000;

/** Resolves once `count` requests have a certificate. */
export function allSigned({ server }: System, count: number): Promise<void> {
  const signed = new Set<string>();
  return new Promise((resolve) => {
    const stop = server.registry.reader(certificateSigningRequests).subscribe((request) => {
      if (request?.status?.certificate === undefined) return;
      signed.add(request.metadata?.name ?? '');
      if (signed.size < count) return;
      stop();
      resolve();
    });
  });
}

export async function createApproved({ client }: System, count: number): Promise<void> {
  const requests = client.cluster(certificateSigningRequests);
  const keys = generateKeyPair('ec-p256');
  await forEachNumber(count, 16, async (number) => {
    const pem = createCertificateRequest(keys, { commonName: `client-${number}`, organizations: [] });
    const created: DeepReadonly<CertificateSigningRequest> = await requests.create({
      metadata: { name: `request-${number}` },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName: client.scheme.vocabulary.signers.apiserverClient,
        usages: ['client auth'],
      },
    });
    await requests.subresource('approval').update({
      ...created,
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Bench', message: 'approved' }] },
    });
  });
}

interface Authority {
  readonly privateKey: KeyObject;
  /** Flags that name the authority's files. */
  readonly flags: readonly string[];
}

/** Creates a certificate authority with a new key, in the files that an administrator would provide. */
async function authorityIn(folder: string, algorithm: KeyAlgorithm): Promise<Authority> {
  const keys = generateKeyPair(algorithm);
  const validity = { notBeforeMs: Date.now() - HOUR, notAfterMs: Date.now() + 365 * 24 * HOUR };
  const subject = { commonName: 'bench-ca', organizations: [] };
  const authority = createCertificateAuthority(subject, keys, validity, createSystemRandom());
  const [certificate, key] = [join(folder, 'bench-ca.crt'), join(folder, 'bench-ca.key')];
  await writeFile(certificate, authority.certificatePem);
  await writeFile(key, privateKeyPem(keys.privateKey));
  const flags = ['--cluster-signing-cert-file', certificate, '--cluster-signing-key-file', key];
  return { privateKey: keys.privateKey, flags };
}

/** Starts a manager that runs only the signing controller. */
export const startSigner = (
  { startManager }: System,
  ...extra: readonly string[]
): Promise<AsyncDisposable> => startManager(['--controllers', 'csrsigning', ...extra]);

export const removeRequests = ({ client }: System): Promise<void> =>
  client.cluster(certificateSigningRequests).deleteCollection();

/**
 * Measures one round: the time from the start of the signing controller, with all requests approved, until
 * the last request is signed. Then measures the bare signatures.
 */
async function measureRound(system: System, { privateKey, flags }: Authority, count: number) {
  await createApproved(system, count);
  const done = allSigned(system, count);
  let signer: AsyncDisposable | undefined;
  const ours = await timedBoth(async () => {
    signer = await startSigner(system, ...flags);
    await done;
  });
  await signer?.[Symbol.asyncDispose]();
  await removeRequests(system);
  const bytes = Buffer.alloc(700, 1);
  const bare = await timedBoth(() => {
    for (let number = 0; number < count; number++) sign('sha256', bytes, privateKey);
  });
  return { ours, bare };
}

/**
 * Compares signing by wall time and by processor time. A P-256 signature costs less than any API request, so
 * its ratio has no target. All other controllers run and observe the requests, as in a cluster.
 */
export const certificatesRow: Row = {
  name: 'certificates',
  async measure(scale) {
    const [count, rounds] =
      scale === 'full' ? [1_000, { warmUp: 2, counted: 5 }] : [100, { warmUp: 1, counted: 2 }];
    const targets = { 'rsa-2048': { ratioAtMost: 2.5 }, 'ec-p256': { shown: true } } as const;
    return inFolder(async (folder) => {
      await using system = await startSystem(folder, ['--controllers', '*,-csrsigning']);
      await system.startControllers();
      const figures: Figure[] = [];
      for (const algorithm of ['rsa-2048', 'ec-p256'] as const) {
        const authority = await authorityIn(folder, algorithm);
        const measured = [];
        // Code that runs for the first time is several times slower.
        for (let round = 0; round < rounds.warmUp; round++) await measureRound(system, authority, count);
        for (let round = 0; round < rounds.counted; round++)
          measured.push(await measureRound(system, authority, count));
        for (const which of ['wallMs', 'cpuMs'] as const) {
          const samples = {
            ours: measured.map(({ ours }) => ours[which]),
            ceiling: measured.map(({ bare }) => bare[which]),
          };
          const name = `${count} requests signed, ${algorithm}${which === 'cpuMs' ? ', processor' : ''}`;
          figures.push(toFigure(name, 'ms', samples, targets[algorithm]));
        }
      }
      return figures;
    });
  },
};

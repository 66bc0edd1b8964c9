import { sign } from 'node:crypto';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';
import { inFolder } from '../rig/folder.ts';
import { forEachNumber } from '../rig/objects.ts';
import { type System, startSystem } from '../rig/system.ts';
import { type Row, timed, toFigure } from '../row.ts';

/** Resolves once each request bears a certificate. */
export function allSigned({ server }: System, count: number): Promise<void> {
  const signed = new Set<string>();
  return new Promise((resolve) => {
    server.registry.reader(certificateSigningRequests).subscribe((request) => {
      if (request?.status?.certificate === undefined) return;
      signed.add(request.metadata?.name ?? '');
      if (signed.size === count) resolve();
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

/** From the start of the controllers, all requests approved, until the last one is signed. */
export const certificatesRow: Row = {
  name: 'certificates',
  async measure(scale) {
    const [count, rounds] = scale === 'full' ? [1_000, 3] : [100, 1];
    const samples = { ours: [] as number[], ceiling: [] as number[] };
    for (let round = 0; round < rounds; round++)
      await inFolder(async (folder) => {
        await using system = await startSystem(folder);
        await createApproved(system, count);
        const done = allSigned(system, count);
        samples.ours.push(
          await timed(async () => {
            await system.startControllers();
            await done;
          }),
        );
        const { privateKey } = system.provisioned.signingCa;
        const bytes = Buffer.alloc(700, 1);
        samples.ceiling.push(
          await timed(() => {
            for (let number = 0; number < count; number++) sign('sha256', bytes, privateKey);
          }),
        );
      });
    return [toFigure(`${count} approved requests signed`, 'ms', samples, { ratioAtMost: 2.5 })];
  },
};

import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestSpec,
} from '../../api/types/certificates-v1.ts';
import { toTime } from '../../base/clock/clock.ts';
import type { World } from './world.ts';

type Request = DeepReadonly<CertificateSigningRequest>;
type Decision = 'Approved' | 'Denied';

/** Returns functions that create, approve and deny CertificateSigningRequests as a user. */
export const certificateRequests = (world: Pick<World, 'client' | 'clock' | 'as'>) => {
  const requests = world.client.cluster(certificateSigningRequests);
  return {
    requests,
    get: (name: string): Promise<Request> => requests.get(name),
    post: (
      name: string,
      pem: string,
      spec: Partial<CertificateSigningRequestSpec> & { readonly signerName: string },
      client = world.client,
    ): Promise<Request> =>
      client.cluster(certificateSigningRequests).create({
        metadata: { name },
        spec: {
          request: Buffer.from(pem).toString('base64'),
          usages: ['digital signature', 'key encipherment', 'client auth'],
          ...spec,
        },
      }),
    async decide(name: string, type: Decision): Promise<Request> {
      const request = await requests.get(name);
      const time = toTime(world.clock.now());
      return requests.subresource('approval').update({
        ...request,
        status: {
          ...request.status,
          conditions: [
            ...(request.status?.conditions ?? []),
            { type, status: 'True', reason: 'ByTest', message: 'm', lastUpdateTime: time },
          ],
        },
      });
    },
    async certificate(name: string): Promise<string | undefined> {
      const { status } = await requests.get(name);
      return status?.certificate ? Buffer.from(status.certificate, 'base64').toString() : undefined;
    },
    conditions: async (name: string): Promise<readonly string[]> =>
      ((await requests.get(name)).status?.conditions ?? []).map(({ type }) => type),
  };
};

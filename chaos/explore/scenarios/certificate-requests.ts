import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { createCertificateRequest, generateKeyPair } from '../../../base/pki/index.ts';
import { conditionOf } from '../../invariants/certificate-requests.ts';
import { deletes, updates } from '../actions.ts';
import type { Action } from '../scenario.ts';

export type Request = DeepReadonly<CertificateSigningRequest>;

/** Names of the requests of a workload, in the order in which they are added. */
export const NAMES = ['a', 'b', 'c'];
/**
 * The only user with the permission to get a certificate. The permission exists from the second instant on.
 */
export const LATE_RIGHT = 'system:bootstrap:late';

let pem: string | undefined;
/** Returns the request of a node agent. No decision depends on its key. */
const requestPem = (): string =>
  (pem ??= createCertificateRequest(generateKeyPair('ed25519'), {
    commonName: 'system:node:n',
    organizations: ['system:nodes'],
  }));

export function requestOf(
  vocabulary: Vocabulary,
  name: string,
  createdMs: number,
  spec: Partial<NonNullable<CertificateSigningRequest['spec']>> = {},
): CertificateSigningRequest {
  return {
    kind: 'CertificateSigningRequest',
    apiVersion: vocabulary.apiVersion('certificates', 'v1'),
    metadata: { name, creationTimestamp: toTime(createdMs) },
    spec: {
      request: Buffer.from(requestPem()).toString('base64'),
      signerName: vocabulary.signers.nodeClient,
      username: LATE_RIGHT,
      usages: ['digital signature', 'key encipherment', 'client auth'],
      expirationSeconds: 3600,
      ...spec,
    },
    status: {},
  };
}

export const decides = (text: string, name: string, type: 'Approved' | 'Denied'): Action =>
  updates(
    text,
    certificateSigningRequests,
    '',
    name,
    (request: Request, nowMs) =>
      conditionOf(request, 'Approved') || conditionOf(request, 'Denied')
        ? undefined
        : {
            status: {
              ...request.status,
              conditions: [
                ...(request.status?.conditions ?? []),
                { type, status: 'True' as const, lastUpdateTime: toTime(nowMs) },
              ],
            },
          },
    { subresource: 'approval' },
  );
/**
 * Returns the action that withdraws an approval. The API permits this to approvers, although no standard
 * client does it.
 */
export const revokes = (name: string): Action =>
  updates(
    'the user withdraws the approval',
    certificateSigningRequests,
    '',
    name,
    ({ status }: Request) =>
      conditionOf({ status } as Request, 'Approved') && !status?.certificate ? { status: {} } : undefined,
    { subresource: 'approval' },
  );
/** Returns the action that labels a request. The label enqueues both signed and unsigned requests. */
export const labels = (name: string): Action =>
  updates('the user labels the request', certificateSigningRequests, '', name, ({ metadata }: Request) => ({
    metadata: { ...metadata, labels: { team: 'blue' } },
  }));
export const removes = (name: string): Action =>
  deletes('the user deletes the request', certificateSigningRequests, '', name);

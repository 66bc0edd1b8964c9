import { subjectAccessReviews } from '../../api/groups/authorization-v1.ts';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { alternativeNamesFault, parseCertificateRequest } from '../../base/pki/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import { nodeClientFault } from '../../machines/certificates/signer-rules.ts';
import {
  type ApproveInput,
  type Candidate,
  type ObservedRequest,
  type ReviewInput,
  csrApprovingMachine,
} from '../../machines/csrapproving/csr-approving.ts';
import { type ControllerContext, type Effects, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { csrApprovingManifest } from './manifest.ts';

/**
 * Approves client certificates of kubelets whose requester may create them:
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/#approval
 */
export const csrApprovingController = implement(csrApprovingManifest, {
  machine: csrApprovingMachine,
  watches: ({ scheme: { vocabulary } }) => [
    watch(certificateSigningRequests, { when: (request) => isOpen(request, vocabulary) }),
  ],
  effects: createEffects,
});

function createEffects({ client, informers, scheme }: ControllerContext): Effects {
  const { vocabulary } = scheme;
  const store = informers.of(certificateSigningRequests).store;
  const decidedOn = (key: string, uid: string): DeepReadonly<CertificateSigningRequest> => {
    const request = store.get(key);
    if (request?.metadata?.uid !== uid) throw new Error(`certificate request ${key} has been replaced`);
    return request;
  };
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedRequest | null> => {
      const request = store.get(key);
      const { uid, resourceVersion } = request?.metadata ?? {};
      if (!request || uid === undefined || resourceVersion === undefined) return null;
      return { uid, resourceVersion, candidates: candidatesOf(request, vocabulary) };
    },

    review: async ({ key, uid, subresource }: ReviewInput, signal: AbortSignal): Promise<boolean> => {
      const { username = '', uid: userUid, groups, extra } = decidedOn(key, uid).spec ?? {};
      const review = await client.cluster(subjectAccessReviews).create(
        {
          spec: {
            user: username,
            ...(userUid ? { uid: userUid } : {}),
            ...(groups ? { groups } : {}),
            ...(extra ? { extra } : {}),
            resourceAttributes: {
              group: vocabulary.group(certificateSigningRequests.group),
              resource: certificateSigningRequests.plural,
              verb: 'create',
              subresource,
            },
          },
          ...scheme.typeMetaOf(subjectAccessReviews),
        },
        { signal },
      );
      return review.status?.allowed === true;
    },

    approve: async (
      { key, uid, resourceVersion, message }: ApproveInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const request = decidedOn(key, uid);
      // The condition has no time: the server sets it, and the cleaner compares it with the server's clock.
      await client
        .cluster(certificateSigningRequests)
        .subresource('approval')
        .update(
          {
            ...request,
            metadata: { ...request.metadata, resourceVersion },
            status: {
              ...request.status,
              conditions: [
                ...(request.status?.conditions ?? []),
                { type: 'Approved', status: 'True', reason: 'AutoApproved', message },
              ],
            },
          },
          { signal },
        );
    },
  };
}

/** True if the request is for the kubelet client signer and undecided. */
function isOpen({ spec, status }: DeepReadonly<CertificateSigningRequest>, { signers }: Vocabulary): boolean {
  const decided = (status?.conditions ?? []).some((each) =>
    ['Approved', 'Denied', 'Failed'].includes(each.type),
  );
  return spec?.signerName === signers.nodeClient && !decided && !status?.certificate;
}

/**
 * Returns the access reviews that may approve a request. Returns none if the request was decided, belongs to
 * another signer, or does not have the form of a kubelet client certificate.
 */
function candidatesOf(
  object: DeepReadonly<CertificateSigningRequest>,
  vocabulary: Vocabulary,
): readonly Candidate[] {
  const { spec } = object;
  const { agent } = vocabulary;
  if (!spec || !isOpen(object, vocabulary)) return [];
  const request = parseCertificateRequest(Buffer.from(spec.request ?? '', 'base64'));
  if ((alternativeNamesFault(request) ?? nodeClientFault(request, spec.usages ?? [])) !== undefined)
    return [];
  const candidate = (subresource: Candidate['subresource'], which: string): Candidate => ({
    subresource,
    message: `Auto approving ${which} client certificate after SubjectAccessReview.`,
  });
  return [
    ...(spec.username === request.subject.commonName ? [candidate('selfnodeclient', `self ${agent}`)] : []),
    candidate('nodeclient', agent),
  ];
}

import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin, AdmissionRequest, Authorizer } from '../request.ts';
import { rejection } from './rejection.ts';
import { isAllowedOnSigner } from './signers.ts';

/** True for the kind CertificateSigningRequest. */
export const isCertificateRequestKind = ({ group, plural }: AnyKind): boolean =>
  group === 'certificates' && plural === 'certificatesigningrequests';

/** True if a request concerns the given subresource of a CertificateSigningRequest. */
export const isCertificateRequest = (request: DeepReadonly<AdmissionRequest>, subresource: string): boolean =>
  isCertificateRequestKind(request.kind as AnyKind) && request.subresource === subresource;

/**
 * Creates a plugin that requires the permission `approve` on the signer from users who approve or deny a
 * CertificateSigningRequest
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificateapproval).
 */
export function createCertificateApproval(options: {
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { authorizer, vocabulary } = options;
  return {
    name: 'CertificateApproval',
    operations: ['UPDATE'],
    concerns: isCertificateRequestKind,
    async validate(request) {
      const previous = request.previous as DeepReadonly<CertificateSigningRequest> | undefined;
      if (!isCertificateRequest(request, 'approval') || previous === undefined) return;
      const { signerName } = previous.spec;
      if (await isAllowedOnSigner(authorizer, vocabulary, request.user, 'approve', signerName)) return;
      throw rejection(
        request,
        vocabulary,
        `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`,
      );
    },
  };
}

import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { parseCertificateRequest } from '../../base/pki/index.ts';
import { MASTERS } from '../auth/groups.ts';
import type { AdmissionPlugin } from '../request.ts';
import { isCertificateRequest, isCertificateRequestKind } from './certificate-approval.ts';
import { rejection } from './rejection.ts';

/**
 * Creates a plugin that rejects requests for client certificates of the group `system:masters`, which
 * bypasses authorization.
 */
export function createCertificateSubjectRestriction(vocabulary: Vocabulary): AdmissionPlugin {
  const { apiserverClient } = vocabulary.signers;
  return {
    name: 'CertificateSubjectRestriction',
    operations: ['CREATE'],
    concerns: isCertificateRequestKind,
    async validate(request) {
      const csr = request.object as DeepReadonly<CertificateSigningRequest> | undefined;
      if (!isCertificateRequest(request, '') || csr?.spec.signerName !== apiserverClient) return;
      let organizations: readonly string[];
      try {
        ({ organizations } = parseCertificateRequest(Buffer.from(csr.spec.request, 'base64')).subject);
      } catch (thrown) {
        throw rejection(request, vocabulary, `failed to parse CSR: ${messageOf(thrown)}`);
      }
      if (organizations.includes(MASTERS))
        throw rejection(
          request,
          vocabulary,
          `use of ${apiserverClient} signer with ${MASTERS} group is not allowed`,
        );
    },
  };
}

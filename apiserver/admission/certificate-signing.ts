import { isDeepStrictEqual } from 'node:util';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin, Authorizer } from '../request.ts';
import { isCertificateRequest, isCertificateRequestKind } from './certificate-approval.ts';
import { rejection } from './rejection.ts';
import { isAllowedOnSigner } from './signers.ts';

/**
 * Creates a plugin that requires the permission `sign` on the signer from users who set the certificate or
 * the conditions of a CertificateSigningRequest
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#certificatesigning).
 */
export function createCertificateSigning(options: {
  readonly authorizer: Authorizer;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { authorizer, vocabulary } = options;
  return {
    name: 'CertificateSigning',
    operations: ['UPDATE'],
    concerns: isCertificateRequestKind,
    async validate(request) {
      const previous = request.previous as DeepReadonly<CertificateSigningRequest> | undefined;
      const next = request.object as DeepReadonly<CertificateSigningRequest> | undefined;
      if (!isCertificateRequest(request, 'status') || previous === undefined || next === undefined) return;
      const isSame =
        (previous.status?.certificate ?? '') === (next.status?.certificate ?? '') &&
        isDeepStrictEqual(previous.status?.conditions ?? [], next.status?.conditions ?? []);
      if (isSame) return;
      const { signerName } = previous.spec;
      if (await isAllowedOnSigner(authorizer, vocabulary, request.user, 'sign', signerName)) return;
      throw rejection(
        request,
        vocabulary,
        `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`,
      );
    },
  };
}

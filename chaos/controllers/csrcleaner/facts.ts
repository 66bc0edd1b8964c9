import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import { expiration } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';
import { endOfLife } from './invariants.ts';

/** Documented facts about the controller `csrcleaner` in release 1.24. */
export const csrCleanerFacts: ControllerFacts = {
  dueTimes: [
    expiration({
      // https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
      id: 'due/certificate-request-expires',
      says: 'a CertificateSigningRequest is deleted at the age that its state allows and not before',
      kind: certificateSigningRequests,
      endMs: (request) => endOfLife(request as DeepReadonly<CertificateSigningRequest>),
      restMs: 10_000,
    }),
  ],
};

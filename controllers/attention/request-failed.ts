import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { objectRule } from '../../runtime/index.ts';
import { conditionOf, said } from './certificate-requests.ts';

/** Certificate request that its signer refused. */
export const requestFailed = objectRule({
  reason: 'request-failed',
  controller: 'csrsigning',
  kind: certificateSigningRequests,
  patienceMs: 0,
  applies: (request) => conditionOf(request, 'Failed') !== undefined,
  find(request) {
    const failed = conditionOf(request, 'Failed');
    return {
      sinceMs: fromTime(failed?.lastTransitionTime),
      sentence: `CertificateSigningRequest ${request.metadata?.name ?? ''} was refused by the signer ${request.spec?.signerName ?? ''}${said(failed ?? {})}.`,
    };
  },
});

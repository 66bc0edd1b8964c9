import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { objectRule } from '../../runtime/index.ts';
import { conditionOf, said } from './certificate-requests.ts';

/** Certificate request that was denied, and gets no certificate. */
export const requestDenied = objectRule({
  reason: 'request-denied',
  controller: 'csrapproving',
  kind: certificateSigningRequests,
  patienceMs: 0,
  applies: (request) => conditionOf(request, 'Denied') !== undefined,
  find(request) {
    const denied = conditionOf(request, 'Denied');
    return {
      sinceMs: fromTime(denied?.lastTransitionTime),
      sentence: `CertificateSigningRequest ${request.metadata?.name ?? ''} was denied and gets no certificate${said(denied ?? {})}.`,
    };
  },
});

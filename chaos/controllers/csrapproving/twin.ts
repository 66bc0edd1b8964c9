import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { about } from '../../invariants/invariant.ts';
import { isPermitted } from '../../invariants/permitted-contents.ts';
import { certificateRequests } from '../../workload/certificates.ts';
import { rareCertificateRequests } from '../../workload/one-of-each.ts';
import { csrApprovingInvariants, csrReviewInvariants } from './invariants.ts';
import { csrApprovingScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `csrapproving`. */
export const csrApprovingTwin: ControllerTwin = {
  name: 'csrapproving',
  invariants: ({ vocabulary }) =>
    about(
      [certificateSigningRequests],
      [
        ...csrApprovingInvariants(vocabulary, (request) => isPermitted(request, vocabulary)),
        ...csrReviewInvariants,
      ],
    ),
  rights: [{ resource: 'certificates/certificatesigningrequests', fields: ['status.conditions'] }],
  scenario: csrApprovingScenario,
  workload: [certificateRequests],
  rareWorkload: [rareCertificateRequests],
  formerNumbers: {
    N1: 'no-unpermitted-approval',
    N2: 'no-write-to-decided',
    N3: 'no-approved-and-denied',
    N4: 'only-conditions-written',
    N5: 'no-approval-after-failed-review',
    N6: 'no-replaced-request-approved',
    E1: 'permitted-is-approved',
  },
  mutants: {
    watched: ['certificatesigningrequests'],
    swallowed: { review: true },
    harmless: {
      'certificatesigningrequests-changed-missed':
        'a request is immutable, and after another decision nothing is left to do',
    },
  },
};

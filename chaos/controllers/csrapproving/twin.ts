import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { about } from '../../invariants/invariant.ts';
import { certificateRequests } from '../../workload/certificates.ts';
import { rareCertificateRequests } from '../../workload/one-of-each.ts';
import { csrApprovingInvariants, csrReviewInvariants } from './invariants.ts';
import { csrApprovingScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `csrapproving`. */
export const csrApprovingTwin: ControllerTwin = {
  name: 'csrapproving',
  invariants: ({ vocabulary }) =>
    about([certificateSigningRequests], [...csrApprovingInvariants(vocabulary), ...csrReviewInvariants]),
  rights: [{ resource: 'certificates/certificatesigningrequests', fields: ['status.conditions'] }],
  scenario: csrApprovingScenario,
  workload: [certificateRequests],
  rareWorkload: [rareCertificateRequests],
  mutants: {
    watched: ['certificatesigningrequests'],
    swallowed: { review: true },
    harmless: {
      'certificatesigningrequests-changed-missed':
        'a request is immutable, and after another decision nothing is left to do',
    },
  },
};

import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { authorityOf } from '../../explore/scenarios/settings.ts';
import { about } from '../../invariants/invariant.ts';
import { certificateRequests } from '../../workload/certificates.ts';
import { rareCertificateRequests } from '../../workload/one-of-each.ts';
import { csrIssuanceInvariants, csrSigningInvariants } from './invariants.ts';
import { csrSigningScenario, refusedRequestsScenario, rotatedSignerScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `csrsigning`. */
export const csrSigningTwin: ControllerTwin = {
  name: 'csrsigning',
  invariants: ({ vocabulary }) =>
    about(
      [certificateSigningRequests],
      [...csrSigningInvariants(Object.values(vocabulary.signers)), ...csrIssuanceInvariants],
    ),
  rights: [
    {
      resource: 'certificates/certificatesigningrequests',
      fields: ['status.certificate', 'status.conditions'],
    },
  ],
  scenario: csrSigningScenario,
  scenarios: {
    refused: refusedRequestsScenario,
    rotated: (vocabulary, objects) => rotatedSignerScenario(authorityOf(vocabulary))(vocabulary, objects),
  },
  workload: [certificateRequests],
  rareWorkload: [rareCertificateRequests],
  mutants: { watched: ['certificatesigningrequests'] },
};

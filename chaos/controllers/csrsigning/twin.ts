import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { authorityOf } from '../../explore/scenarios/settings.ts';
import { about } from '../../invariants/invariant.ts';
import { certificateRequests } from '../../workload/certificates.ts';
import { rareCertificateRequests } from '../../workload/one-of-each.ts';
import { csrIssuanceInvariants, csrSigningInvariants } from './invariants.ts';
import { permittedContents } from './permitted.ts';
import { csrSigningScenario, refusedRequestsScenario, rotatedSignerScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `csrsigning`. */
export const csrSigningTwin: ControllerTwin = {
  name: 'csrsigning',
  invariants: ({ vocabulary }) =>
    about(
      [certificateSigningRequests],
      [
        ...csrSigningInvariants(Object.values(vocabulary.signers)),
        ...csrIssuanceInvariants,
        permittedContents(vocabulary),
      ],
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
  formerNumbers: {
    N1: 'no-unapproved-certificate',
    N2: 'no-foreign-signer',
    N3: 'no-certificate-and-failure',
    N4: 'certificate-as-requested',
    N5: 'no-longer-lifetime',
    N6: 'no-changed-certificate',
    N7: 'no-second-certificate',
    N8: 'valid-from-signing',
    E1: 'approved-is-signed',
    E3: 'current-authority-signs',
  },
  mutants: { watched: ['certificatesigningrequests'] },
};

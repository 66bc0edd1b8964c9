import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { about } from '../../invariants/invariant.ts';
import { certificateRequests } from '../../workload/certificates.ts';
import { rareCertificateRequests } from '../../workload/one-of-each.ts';
import { csrCleanerFacts } from './facts.ts';
import { csrCleanerInvariants } from './invariants.ts';
import { csrCleanerScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `csrcleaner`. */
export const csrCleanerTwin: ControllerTwin = {
  name: 'csrcleaner',
  invariants: () => about([certificateSigningRequests], csrCleanerInvariants),
  facts: () => csrCleanerFacts,
  rights: [{ resource: 'certificates/certificatesigningrequests', deletes: true }],
  scenario: csrCleanerScenario,
  workload: [certificateRequests],
  rareWorkload: [rareCertificateRequests],
  formerNumbers: {
    N1: 'no-early-deletion',
    N2: 'no-recreated-deletion',
    N3: 'no-early-deletion-of-decided',
    E1: 'expired-is-deleted',
  },
  mutants: {
    watched: ['certificatesigningrequests'],
    harmless: {
      'cached-reads': 'a deletion carries the version, so one that is based on stale state is refused',
    },
  },
};

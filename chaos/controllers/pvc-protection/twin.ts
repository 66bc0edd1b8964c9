import { persistentVolumeClaims } from '../../../api/groups/index.ts';
import { about } from '../../invariants/invariant.ts';
import { volumes } from '../../workload/volumes.ts';
import { rareVolumes } from '../../workload/one-of-each.ts';
import { pvcProtectionFacts } from './facts.ts';
import { pvcProtectionInvariants } from './invariants.ts';
import { claimScenario, ephemeralClaimScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `pvc-protection`. */
export const pvcProtectionTwin: ControllerTwin = {
  name: 'pvc-protection',
  invariants: ({ vocabulary }) => about([persistentVolumeClaims], pvcProtectionInvariants(vocabulary)),
  facts: ({ vocabulary }) => pvcProtectionFacts(vocabulary),
  rights: [{ resource: '/persistentvolumeclaims', fields: ['metadata.finalizers'] }],
  scenario: claimScenario,
  scenarios: { ephemeral: ephemeralClaimScenario },
  workload: [volumes],
  rareWorkload: [rareVolumes],
  formerNumbers: {
    N1: 'no-release-while-used',
    N2: 'no-release-undeleted',
    E1: 'every-object-protected',
    E2: 'unused-is-released',
  },
  mutants: {
    watched: ['persistentvolumeclaims', 'pods'],
    harmless: { 'pods-added-missed': 'a new pod protects claims and releases none' },
  },
};

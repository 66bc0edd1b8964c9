import { persistentVolumes } from '../../../api/groups/index.ts';
import { about } from '../../invariants/invariant.ts';
import { volumes } from '../../workload/volumes.ts';
import { rareVolumes } from '../../workload/one-of-each.ts';
import { pvProtectionFacts } from './facts.ts';
import { pvProtectionInvariants } from './invariants.ts';
import { volumeScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `pv-protection`. */
export const pvProtectionTwin: ControllerTwin = {
  name: 'pv-protection',
  invariants: ({ vocabulary }) => about([persistentVolumes], pvProtectionInvariants(vocabulary)),
  facts: ({ vocabulary }) => pvProtectionFacts(vocabulary),
  rights: [{ resource: '/persistentvolumes', fields: ['metadata.finalizers'] }],
  scenario: volumeScenario,
  workload: [volumes],
  rareWorkload: [rareVolumes],
  formerNumbers: {
    N1: 'no-release-while-used',
    N2: 'no-release-undeleted',
    E1: 'every-object-protected',
    E2: 'unused-is-released',
  },
  mutants: {
    watched: ['persistentvolumes'],
    harmless: {
      'requeue-dropped': 'a released volume has changed, which enqueues it',
      'deadline-late': 'a released volume has changed, which enqueues it',
      'cached-reads': 'the release carries the version, which determines whether the volume is bound',
      'isUsed-error-swallowed':
        'the release carries the version, which determines whether the volume is bound',
    },
  },
};

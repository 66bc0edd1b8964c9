import { withWritesSwapped } from '../../mutants/operators.ts';
import { cronJobs } from '../../workload/cron-jobs.ts';
import { ownedObjects } from '../../workload/objects.ts';
import { rareOrphan } from '../../workload/one-of-each.ts';
import { garbageCollectorInvariants } from './invariants.ts';
import { garbageCollectorScenario, otherKindsScenario, sharedOwnersScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `garbagecollector`. */
export const garbageCollectorTwin: ControllerTwin = {
  name: 'garbagecollector',
  invariants: ({ resources }) => garbageCollectorInvariants([...resources.namespaced, ...resources.cluster]),
  rights: [{ resource: '*', deletes: true, fields: ['metadata.finalizers', 'metadata.ownerReferences'] }],
  scenario: garbageCollectorScenario,
  scenarios: { kinds: otherKindsScenario, shared: sharedOwnersScenario },
  workload: [ownedObjects, cronJobs],
  rareWorkload: [rareOrphan],
  mutants: {
    watched: ['configmaps', 'secrets'],
    operators: [
      {
        name: 'finalizer-before-orphans',
        says: 'the finalizer is removed before the dependents are released',
        pattern: 'intermediate',
        mutate: withWritesSwapped('orphaning', 'removingFinalizer'),
      },
    ],
  },
};

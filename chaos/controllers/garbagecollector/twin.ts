import { withWritesSwapped } from '../../mutants/operators.ts';
import { cronJobs } from '../../workload/batch.ts';
import { ownedObjects } from '../../workload/families.ts';
import { rareOrphan } from '../../workload/one-of-each.ts';
import { garbageCollectorFacts } from './facts.ts';
import { garbageCollectorInvariants } from './invariants.ts';
import { garbageCollectorScenario, otherKindsScenario, sharedOwnersScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `garbagecollector`. */
export const garbageCollectorTwin: ControllerTwin = {
  name: 'garbagecollector',
  invariants: ({ resources }) => garbageCollectorInvariants([...resources.namespaced, ...resources.cluster]),
  facts: ({ resources }) => garbageCollectorFacts([...resources.namespaced, ...resources.cluster]),
  rights: [{ resource: '*', deletes: true, fields: ['metadata.finalizers', 'metadata.ownerReferences'] }],
  scenario: garbageCollectorScenario,
  scenarios: { kinds: otherKindsScenario, shared: sharedOwnersScenario },
  completesDeletions: true,
  workload: [ownedObjects, cronJobs],
  rareWorkload: [rareOrphan],
  formerNumbers: {
    N1: 'no-owned-deletion',
    N2: 'no-ownerless-deletion',
    N5: 'no-early-orphan-release',
    N6: 'no-early-foreground-release',
    N7: 'no-foreign-finalizer-removed',
    N9: 'no-live-reference-removed',
    E1: 'garbage-is-deleted',
    E2: 'no-stuck-foreground',
    E3: 'no-dangling-reference',
  },
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

import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { LiveView } from '../../invariants/invariant.ts';
import { isEnding } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';

/** True if a dependent blocks the foreground deletion of an object. */
const isBlocked = (
  resources: readonly string[],
  { metadata }: DeepReadonly<ApiObject>,
  live: LiveView,
): boolean =>
  resources.some((resource) =>
    live
      .list(resource)
      .some((each) =>
        (each.metadata?.ownerReferences ?? []).some(
          ({ uid, blockOwnerDeletion }) => uid === metadata?.uid && blockOwnerDeletion === true,
        ),
      ),
  );

/** Documented facts about the controller `garbagecollector` in release 1.24; `every` are the served resources. */
export const garbageCollectorFacts = (every: readonly string[]): ControllerFacts => ({
  keepsControllers: true,
  reasons: [
    {
      // https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion
      id: 'held/no-orphaning-owner',
      says: 'a deleted object is not held until its dependents are orphans, once they are',
      finalizer: 'orphan',
      resources: every,
      isNeeded: (object) => !isEnding(object),
    },
    {
      id: 'held/no-unblocked-owner',
      says: 'a deleted object is not held for dependents that no longer exist',
      finalizer: 'foregroundDeletion',
      resources: every,
      isNeeded: (object, live) => !isEnding(object) || isBlocked(every, object, live),
    },
  ],
});

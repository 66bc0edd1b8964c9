import { persistentVolumeClaims } from '../../../api/groups/core-v1-storage.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { liveObjects, resourceOf } from '../../invariants/invariant.ts';
import { isEnding } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';

/** Documented facts about the controller `pvc-protection` in release 1.24. */
export const pvcProtectionFacts = (vocabulary: Vocabulary): ControllerFacts => ({
  reasons: [
    {
      // https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
      id: 'held/no-unused-claim',
      says: 'a deleted PersistentVolumeClaim is not held for pods that no longer use it',
      finalizer: vocabulary.key('', 'pvc-protection'),
      resources: [resourceOf(persistentVolumeClaims)],
      isNeeded: (claim, live) =>
        !isEnding(claim) ||
        liveObjects(live, pods, claim.metadata?.namespace).some(({ spec }) =>
          (spec?.volumes ?? []).some(
            (volume) =>
              volume.persistentVolumeClaim?.claimName === claim.metadata?.name ||
              volume.ephemeral !== undefined,
          ),
        ),
    },
  ],
});

import { persistentVolumes } from '../../../api/groups/core-v1-storage.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { isEnding } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';

/** Documented facts about the controller `pv-protection` in release 1.24. */
export const pvProtectionFacts = (vocabulary: Vocabulary): ControllerFacts => ({
  reasons: [
    {
      // https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
      id: 'held/no-unbound-volume',
      says: 'a deleted PersistentVolume is not held without a claim',
      finalizer: vocabulary.key('', 'pv-protection'),
      resources: [resourceOf(persistentVolumes)],
      isNeeded: (volume) =>
        !isEnding(volume) || (volume as { status?: { phase?: string } }).status?.phase === 'Bound',
    },
  ],
});

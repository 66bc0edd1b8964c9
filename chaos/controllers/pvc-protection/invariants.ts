import { persistentVolumeClaims, pods } from '../../../api/groups/index.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Invariant, liveObjects } from '../../invariants/invariant.ts';
import { protectionInvariants } from '../../invariants/protection.ts';

type Any = DeepReadonly<ApiObject>;

/** Returns the invariants about the finalizer of PersistentVolumeClaims. */
export const pvcProtectionInvariants = (vocabulary: Vocabulary): readonly Invariant[] =>
  protectionInvariants({
    controller: 'pvc-protection',
    kind: persistentVolumeClaims,
    finalizer: vocabulary.key('', 'pvc-protection'),
    usersOf: (claim, live) =>
      liveObjects(live, pods, claim.metadata?.namespace)
        .filter((pod) => uses(pod, claim))
        .map((pod) => pod.metadata?.uid ?? ''),
  });

/** True if a scheduled pod uses the claim, by its name or as an ephemeral volume, and is not terminated. */
function uses({ metadata = {}, spec }: DeepReadonly<Pod>, claim: Any): boolean {
  const isShutDown = metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
  const isOwn = (claim.metadata?.ownerReferences ?? []).some(({ uid }) => uid === metadata.uid);
  const name = claim.metadata?.name;
  const volumes = spec?.nodeName ? (spec.volumes ?? []) : [];
  return volumes.some(({ name: volume, persistentVolumeClaim, ephemeral }) =>
    ephemeral
      ? `${metadata.name}-${volume}` === name && isOwn && !isShutDown
      : persistentVolumeClaim?.claimName === name,
  );
}

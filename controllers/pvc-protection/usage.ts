import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { controllerOf } from '../../runtime/index.ts';

/** `namespace/name` of every claim a pod names, or is given by name for an ephemeral volume. */
export function claimKeys({ metadata, spec }: DeepReadonly<Pod>): readonly string[] {
  const { namespace = '', name: podName = '' } = metadata ?? {};
  const names = (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${podName}-${name}`];
  });
  return [...new Set(names)].map((name) => `${namespace}/${name}`);
}

/**
 * Whether a pod uses a claim. Only pods on a node do: the node agent starts no pod whose claim is being deleted. A pod
 * that has ended uses it until it is deleted; one that is shut down no more uses the claims it owns, or the two would wait
 * for each other where it is deleted in the foreground (release 1.24).
 */
export function usesClaim(pod: DeepReadonly<Pod>, claim: DeepReadonly<PersistentVolumeClaim>): boolean {
  if (!pod.spec?.nodeName) return false;
  const claimName = claim.metadata?.name ?? '';
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === claimName;
    if (ephemeral === undefined || `${pod.metadata?.name}-${name}` !== claimName) return false;
    // A claim of that name that somebody else has made is not the pod's.
    return controllerOf(claim)?.uid === pod.metadata?.uid && !isShutDown(pod);
  });
}

/** The node agent is done with it, or it was deleted by force. */
const isShutDown = ({ metadata }: DeepReadonly<Pod>): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { controllerOf } from '../../runtime/index.ts';

/** Returns the keys of every PersistentVolumeClaim that a pod names or that its ephemeral volumes imply. */
export function claimKeys({ metadata, spec }: DeepReadonly<Pod>): readonly string[] {
  const { namespace = '', name: podName = '' } = metadata ?? {};
  const names = (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${podName}-${name}`];
  });
  return [...new Set(names)].map((name) => `${namespace}/${name}`);
}

/**
 * True if a pod uses a claim, by the rules of release 1.24:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/volume/pvcprotection/pvc_protection_controller.go
 *
 * Only pods on a node use claims, because a kubelet starts no pod whose claim is being deleted. A finished
 * pod uses its claims until it is deleted. A pod that was shut down does not use the claims that it owns: in
 * a foreground deletion, the pod and the claim would wait for each other.
 */
export function usesClaim(pod: DeepReadonly<Pod>, claim: DeepReadonly<PersistentVolumeClaim>): boolean {
  if (!pod.spec?.nodeName) return false;
  const claimName = claim.metadata?.name ?? '';
  return (pod.spec.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === claimName;
    if (ephemeral === undefined || `${pod.metadata?.name}-${name}` !== claimName) return false;
    // Another client may have created the claim under the name that the volume implies.
    return controllerOf(claim)?.uid === pod.metadata?.uid && !isShutDown(pod);
  });
}

/** True if the kubelet has stopped the pod, or the pod was deleted by force. */
const isShutDown = ({ metadata }: DeepReadonly<Pod>): boolean =>
  metadata?.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

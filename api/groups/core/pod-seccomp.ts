import type { Pod } from '../../types/core-v1-pod.ts';
import { podAnnotations, seccompProfileOf, seccompWordOf } from '../../validation/pod/annotations.ts';
import type { SeccompProfile } from '../../types/core-v1-container.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

interface Holder {
  securityContext?: { seccompProfile?: SeccompProfile };
}

/**
 * Copies seccomp profiles between annotations and fields of a new pod, in place (`applySeccompVersionSkew` in
 * Kubernetes 1.24).
 */
export function agreeOnSeccomp(pod: Pod, vocabulary: Vocabulary): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const names = podAnnotations(vocabulary);
  agree(pod, spec, names.seccompOfPod);
  const containers = [spec.initContainers, spec.containers, spec.ephemeralContainers];
  for (const container of containers.flatMap((list) => list ?? []))
    agree(pod, container, names.seccompOf(container.name ?? ''));
}

function agree(pod: Pod, holder: Holder, key: string): void {
  const word = pod.metadata?.annotations?.[key];
  const profile = holder.securityContext?.seccompProfile;
  if (profile !== undefined && word === undefined) {
    const said = seccompWordOf(profile);
    if (said === undefined) return;
    pod.metadata = { ...pod.metadata, annotations: { ...pod.metadata?.annotations, [key]: said } };
  } else if (profile === undefined && word !== undefined) {
    const meant = seccompProfileOf(word);
    if (meant !== undefined) holder.securityContext = { ...holder.securityContext, seccompProfile: meant };
  }
}

import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

const OF_PODS = ['supplementalGroups', 'seLinuxOptions', 'runAsUser', 'fsGroup'] as const;
const OF_CONTAINERS = ['seLinuxOptions', 'runAsUser'] as const;
/** Names of the fields in upstream's messages. */
const SHOWN = {
  supplementalGroups: 'SupplementalGroups',
  seLinuxOptions: 'SELinuxOptions',
  runAsUser: 'RunAsUser',
  fsGroup: 'FSGroup',
} as const;

/** Returns the first forbidden field that a pod sets. */
function forbiddenField(spec: DeepReadonly<PodSpec>): string | undefined {
  const ofPod = OF_PODS.find((field) => spec.securityContext?.[field] !== undefined);
  if (ofPod !== undefined) return `pod.Spec.SecurityContext.${SHOWN[ofPod]}`;
  for (const { securityContext } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const found = OF_CONTAINERS.find((field) => securityContext?.[field] !== undefined);
    if (found !== undefined) return `SecurityContext.${SHOWN[found]}`;
  }
  return undefined;
}

/**
 * Creates a plugin that rejects pods which set their user, groups or SELinux labels
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#securitycontextdeny).
 * Deprecated upstream in favor of PodSecurity.
 */
export const createSecurityContextDeny = (vocabulary: Vocabulary): AdmissionPlugin => ({
  name: 'SecurityContextDeny',
  operations: ['CREATE', 'UPDATE'],
  concerns: coreKind('pods'),
  async validate(request) {
    const spec = (request.object as DeepReadonly<Pod> | undefined)?.spec;
    if (!isCore(request, 'pods') || spec === undefined) return;
    const field = forbiddenField(spec);
    if (field !== undefined) throw rejection(request, vocabulary, `${field} is forbidden`);
  },
});

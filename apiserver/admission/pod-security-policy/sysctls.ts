import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { type FieldErrors, forbiddenField, goQuote, index } from '../../../api/status/index.ts';
import type { PodSecurityContext } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';

/**
 * Kernel parameters that are safe for pods, as they affect only the pod's own namespaces
 * (https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/).
 */
const SAFE = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
]);

const matches = (patterns: readonly string[] | undefined, name: string): boolean =>
  (patterns ?? []).some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );

/** Validates the kernel parameters of a pod. */
export const validateSysctls = (
  { allowedUnsafeSysctls, forbiddenSysctls }: DeepReadonly<PodSecurityPolicySpec>,
  context: DeepReadonly<PodSecurityContext> | undefined,
): FieldErrors =>
  (context?.sysctls ?? []).flatMap(({ name }, at) => {
    const path = index('pod.spec.securityContext.sysctls', at);
    if (matches(forbiddenSysctls, name))
      return [forbiddenField(path, `sysctl ${goQuote(name)} is not allowed`)];
    if (SAFE.has(name) || matches(allowedUnsafeSysctls, name)) return [];
    return [forbiddenField(path, `unsafe sysctl ${goQuote(name)} is not allowed`)];
  });

import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';

/** Spec that allows everything except unusual proc mounts and security profiles, and sets no defaults. */
export const ANYTHING: PodSecurityPolicySpec = {
  privileged: true,
  allowPrivilegeEscalation: true,
  allowedCapabilities: ['*'],
  volumes: ['*'],
  hostNetwork: true,
  hostPID: true,
  hostIPC: true,
  hostPorts: [{ min: 0, max: 65_535 }],
  runAsUser: { rule: 'RunAsAny' },
  seLinux: { rule: 'RunAsAny' },
  fsGroup: { rule: 'RunAsAny' },
  supplementalGroups: { rule: 'RunAsAny' },
};

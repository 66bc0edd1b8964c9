import { column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { PodSecurityPolicy } from '../../types/policy-v1beta1.ts';
import { validatePodSecurityPolicy } from '../../validation/pod-security-policy.ts';

export const podSecurityPolicyStrategy: Strategy<PodSecurityPolicy> = {
  defaults({ spec }) {
    if (spec) spec.allowPrivilegeEscalation ??= true;
  },
  validate: (next) => validatePodSecurityPolicy(next),
};

const listText = (list: readonly string[] | undefined): string => (list ?? []).join(',');

export const podSecurityPolicyColumns: readonly Column<PodSecurityPolicy>[] = [
  nameColumn,
  column<PodSecurityPolicy>('Priv', ({ spec }) => String(spec?.privileged ?? false)),
  column<PodSecurityPolicy>('Caps', ({ spec }) => listText(spec?.allowedCapabilities)),
  column<PodSecurityPolicy>('SELinux', ({ spec }) => spec?.seLinux?.rule ?? ''),
  column<PodSecurityPolicy>('RunAsUser', ({ spec }) => spec?.runAsUser?.rule ?? ''),
  column<PodSecurityPolicy>('FsGroup', ({ spec }) => spec?.fsGroup?.rule ?? ''),
  column<PodSecurityPolicy>('SupGroup', ({ spec }) => spec?.supplementalGroups?.rule ?? ''),
  column<PodSecurityPolicy>('ReadOnlyRootFs', ({ spec }) => String(spec?.readOnlyRootFilesystem ?? false)),
  column<PodSecurityPolicy>('Volumes', ({ spec }) => listText(spec?.volumes)),
];

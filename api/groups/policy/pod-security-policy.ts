import { column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { PodSecurityPolicy } from '../../types/policy-v1beta1.ts';
import { validatePodSecurityPolicy } from '../../validation/policy/pod-security-policy.ts';

/** Strategy of PodSecurityPolicies. */
export const podSecurityPolicyStrategy: Strategy<PodSecurityPolicy> = {
  defaults({ spec }) {
    if (spec) spec.allowPrivilegeEscalation ??= true;
  },
  // The feature gate of the field `allowedProcMountTypes` is off.
  prepareForCreate: ({ spec }) => {
    delete spec?.allowedProcMountTypes;
  },
  prepareForUpdate({ spec }, previous) {
    if (previous.spec?.allowedProcMountTypes === undefined) delete spec?.allowedProcMountTypes;
  },
  validate: (next) => validatePodSecurityPolicy(next),
};

const listText = (list: readonly string[] | undefined): string => (list ?? []).join(',');

/** Table columns of PodSecurityPolicies. */
export const podSecurityPolicyColumns: readonly Column<PodSecurityPolicy>[] = [
  nameColumn,
  column<PodSecurityPolicy>(
    'Priv',
    ({ spec }) => String(spec?.privileged ?? false),
    'privileged determines if a pod can request to be run as privileged.',
  ),
  column<PodSecurityPolicy>(
    'Caps',
    ({ spec }) => listText(spec?.allowedCapabilities),
    "allowedCapabilities is a list of capabilities that can be requested to add to the container. Capabilities in this field may be added at the pod author's discretion. You must not list a capability in both allowedCapabilities and requiredDropCapabilities.",
  ),
  column<PodSecurityPolicy>(
    'SELinux',
    ({ spec }) => spec?.seLinux?.rule ?? '',
    'seLinux is the strategy that will dictate the allowable labels that may be set.',
  ),
  column<PodSecurityPolicy>(
    'RunAsUser',
    ({ spec }) => spec?.runAsUser?.rule ?? '',
    'runAsUser is the strategy that will dictate the allowable RunAsUser values that may be set.',
  ),
  column<PodSecurityPolicy>(
    'FsGroup',
    ({ spec }) => spec?.fsGroup?.rule ?? '',
    'fsGroup is the strategy that will dictate what fs group is used by the SecurityContext.',
  ),
  column<PodSecurityPolicy>(
    'SupGroup',
    ({ spec }) => spec?.supplementalGroups?.rule ?? '',
    'supplementalGroups is the strategy that will dictate what supplemental groups are used by the SecurityContext.',
  ),
  column<PodSecurityPolicy>(
    'ReadOnlyRootFs',
    ({ spec }) => String(spec?.readOnlyRootFilesystem ?? false),
    'readOnlyRootFilesystem when set to true will force containers to run with a read only root file system.  If the container specifically requests to run with a non-read only root file system the PSP should deny the pod. If set to false the container may run with a read only root file system if it wishes but it will not be forced to.',
  ),
  column<PodSecurityPolicy>(
    'Volumes',
    ({ spec }) => listText(spec?.volumes),
    "volumes is an allowlist of volume plugins. Empty indicates that no volumes may be used. To allow all volumes you may use '*'.",
  ),
];

import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../status/field-errors.ts';
import { type IDRange, type PodSecurityPolicy, PodSecurityPolicySpec } from '../types/policy-v1beta1.ts';

type Spec = DeepReadonly<PodSecurityPolicySpec> | undefined;

const USER_RULES = ['MustRunAs', 'MustRunAsNonRoot', 'RunAsAny'];
const GROUP_RULES = ['MayRunAs', 'MustRunAs', 'RunAsAny'];
const SELINUX_RULES = ['MustRunAs', 'RunAsAny'];
const PROC_MOUNTS = ['Default', 'Unmasked'];

/** Release 1.24, `ValidatePodSecurityPolicySpec`. */
export const validatePodSecurityPolicy = ({ spec }: DeepReadonly<PodSecurityPolicy>): FieldErrors => [
  ...validateRule(spec?.runAsUser, USER_RULES, 'spec.runAsUser'),
  ...(spec?.runAsGroup ? validateRule(spec.runAsGroup, GROUP_RULES, 'spec.runAsGroup') : []),
  ...validateRule(spec?.seLinux, SELINUX_RULES, 'spec.seLinux'),
  ...validateRule(spec?.supplementalGroups, GROUP_RULES, 'spec.supplementalGroups'),
  ...validateRule(spec?.fsGroup, GROUP_RULES, 'spec.fsGroup'),
  ...validateVolumes(spec),
  ...validateCapabilities(spec),
  ...validateEscalation(spec),
  ...validateLists(spec),
];

function validateRule(
  options: { readonly rule?: string; readonly ranges?: readonly DeepReadonly<IDRange>[] } | undefined,
  accepted: readonly string[],
  path: string,
): FieldErrors {
  const rule = options?.rule ?? '';
  const errors: FieldError[] = accepted.includes(rule)
    ? []
    : [notSupportedField(child(path, 'rule'), rule, accepted)];
  (options?.ranges ?? []).forEach(({ min, max }, at) => {
    const each = index(child(path, 'ranges'), at);
    if (min < 0)
      errors.push(invalidField(child(each, 'min'), min, 'must be between 0 and 2147483647, inclusive'));
    if (max < 0)
      errors.push(invalidField(child(each, 'max'), max, 'must be between 0 and 2147483647, inclusive'));
    if (min > max) errors.push(invalidField(child(each, 'min'), min, 'min cannot be greater than max'));
  });
  return errors;
}

function validateVolumes(spec: Spec): FieldErrors {
  const { schema } = PodSecurityPolicySpec.fields.volumes;
  const items = schema.kind === 'array' ? schema.items : schema;
  const accepted = items.kind === 'scalar' ? [...(items.enum ?? [])] : [];
  return (spec?.volumes ?? []).flatMap((volume, at) =>
    accepted.includes(volume) ? [] : [notSupportedField(index('spec.volumes', at), volume, accepted.sort())],
  );
}

/** What must be dropped can neither be added by default nor allowed. */
function validateCapabilities(spec: Spec): FieldErrors {
  const dropped = new Set(spec?.requiredDropCapabilities);
  const errors: FieldError[] = [];
  for (const name of spec?.defaultAddCapabilities ?? []) {
    if (!dropped.has(name)) continue;
    const detail = `capability is listed in defaultAddCapabilities and requiredDropCapabilities`;
    errors.push(invalidField('spec.defaultAddCapabilities', name, detail));
  }
  for (const name of spec?.allowedCapabilities ?? []) {
    if (!dropped.has(name)) continue;
    const detail = `capability is listed in allowedCapabilities and requiredDropCapabilities`;
    errors.push(invalidField('spec.allowedCapabilities', name, detail));
  }
  return errors;
}

const validateEscalation = (spec: Spec): FieldErrors =>
  spec?.defaultAllowPrivilegeEscalation === true && spec.allowPrivilegeEscalation === false
    ? [
        invalidField(
          'spec.defaultAllowPrivilegeEscalation',
          true,
          'Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true',
        ),
      ]
    : [];

function validateLists(spec: Spec): FieldErrors {
  const errors: FieldError[] = [];
  (spec?.allowedProcMountTypes ?? []).forEach((type, at) => {
    if (!PROC_MOUNTS.includes(type)) {
      errors.push(notSupportedField(index('spec.allowedProcMountTypes', at), type, PROC_MOUNTS));
    }
  });
  (spec?.allowedFlexVolumes ?? []).forEach(({ driver }, at) => {
    if (!driver)
      errors.push(
        requiredField(child(index('spec.allowedFlexVolumes', at), 'driver'), 'must specify a driver'),
      );
  });
  (spec?.allowedHostPaths ?? []).forEach(({ pathPrefix }, at) => {
    if (!pathPrefix) errors.push(requiredField(index('spec.allowedHostPaths', at), 'is required'));
  });
  return errors;
}

import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import {
  type IDRange,
  type PodSecurityPolicy,
  PodSecurityPolicySpec,
  type RuntimeClassStrategyOptions,
} from '../../types/policy-v1beta1.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { checked } from '../metadata.ts';
import { isDns1123Subdomain } from '../names.ts';
import { validateSysctlPatterns } from './sysctl-patterns.ts';
import { withoutBacksteps } from '../volume/sources.ts';
import { repeats } from '../repeats.ts';
import { validateDriverName } from '../volume/csi.ts';

type Spec = DeepReadonly<PodSecurityPolicySpec> | undefined;
type Ranges = readonly DeepReadonly<IDRange>[];
type Identity = { readonly rule?: string; readonly ranges?: Ranges } | undefined;

const USER_RULES = ['MustRunAs', 'MustRunAsNonRoot', 'RunAsAny'];
const GROUP_RULES = ['MayRunAs', 'MustRunAs', 'RunAsAny'];
/** Accepted rules for the primary group (`runAsGroup`), in upstream's order. */
const PRIMARY_GROUP_RULES = ['MustRunAs', 'RunAsAny', 'MayRunAs'];
const SELINUX_RULES = ['MustRunAs', 'RunAsAny'];
const ANY_NAME = '*';

/** Checks the rules of `ValidatePodSecurityPolicySpec` in Kubernetes 1.24. */
export const validatePodSecurityPolicy = ({ spec }: DeepReadonly<PodSecurityPolicy>): FieldErrors => [
  ...validateRule(spec?.runAsUser, USER_RULES, 'spec.runAsUser'),
  ...validatePrimaryGroup(spec?.runAsGroup, 'spec.runAsGroup'),
  ...validateRule(spec?.seLinux, SELINUX_RULES, 'spec.seLinux'),
  ...validateRule(spec?.supplementalGroups, GROUP_RULES, 'spec.supplementalGroups'),
  ...validateRule(spec?.fsGroup, GROUP_RULES, 'spec.fsGroup'),
  ...validateVolumes(spec),
  ...validateCapabilities(spec),
  ...validateEscalation(spec),
  ...validateHostPaths(spec),
  // Upstream's error paths of allowed FlexVolumes and CSI drivers repeat the name of the field.
  ...(spec?.allowedFlexVolumes ?? []).flatMap(({ driver }, at) =>
    driver ? [] : [requiredField(child(index(FLEX_VOLUMES, at), 'driver'), 'must specify a driver')],
  ),
  ...(spec?.allowedCSIDrivers ?? []).flatMap(({ name = '' }, at) =>
    validateDriverName(name, child(index(CSI_DRIVERS, at), 'name')),
  ),
  ...validateSysctlPatterns(spec?.allowedUnsafeSysctls ?? [], spec?.forbiddenSysctls ?? []),
  ...validateRuntimeClasses(spec?.runtimeClass, 'spec.runtimeClass'),
];

const FLEX_VOLUMES = 'spec.allowedFlexVolumes.allowedFlexVolumes';
const CSI_DRIVERS = 'spec.allowedCSIDrivers.allowedCSIDriver';

function validateRule(options: Identity, accepted: readonly string[], path: string): FieldErrors {
  const rule = options?.rule ?? '';
  return [
    ...(accepted.includes(rule) ? [] : [notSupportedField(child(path, 'rule'), rule, accepted)]),
    ...validateRanges(options?.ranges ?? [], child(path, 'ranges')),
  ];
}

/** Validates the rule for the primary group (`runAsGroup`). Some rules require ranges, others forbid them. */
function validatePrimaryGroup(options: Identity, path: string): FieldErrors {
  if (options === undefined) return [];
  const { rule = '', ranges = [] } = options;
  const field = child(path, 'ranges');
  const refused = (detail: string): FieldErrors => [invalidTyped(field, '[]policy.IDRange', ranges, detail)];
  if (!PRIMARY_GROUP_RULES.includes(rule))
    return [notSupportedField(child(path, 'rule'), rule, PRIMARY_GROUP_RULES)];
  if (rule === 'RunAsAny') return ranges.length === 0 ? [] : refused('Ranges must be empty');
  return ranges.length === 0 ? refused('must provide at least one range') : validateRanges(ranges, field);
}

const validateRanges = (ranges: Ranges, path: string): FieldErrors =>
  ranges.flatMap(({ min, max }, at) => {
    const [minField, maxField] = [child(index(path, at), 'min'), child(index(path, at), 'max')];
    return [
      ...(min < 0 ? [invalidField(minField, min, 'min cannot be negative')] : []),
      ...(max < 0 ? [invalidField(maxField, max, 'max cannot be negative')] : []),
      ...(min > max ? [invalidField(minField, min, 'min cannot be greater than max')] : []),
    ];
  });

function validateVolumes(spec: Spec): FieldErrors {
  const { schema } = PodSecurityPolicySpec.fields.volumes;
  const items = schema.kind === 'array' ? schema.items : schema;
  const accepted = items.kind === 'scalar' ? [...(items.enum ?? [])].sort() : [];
  return (spec?.volumes ?? []).flatMap((volume) =>
    accepted.includes(volume) ? [] : [notSupportedField('spec.volumes', volume, accepted)],
  );
}

/**
 * Validates that a capability to drop is neither added by default nor allowed. Upstream's error paths omit
 * `spec`.
 */
function validateCapabilities(spec: Spec): FieldErrors {
  const dropped = spec?.requiredDropCapabilities ?? [];
  const errors: FieldError[] = [];
  const drops = new Set(dropped);
  if (dropped.length > 0 && spec?.allowedCapabilities?.includes('*')) {
    const detail = 'must be empty when all capabilities are allowed by a wildcard';
    errors.push(invalidLiteral('requiredDropCapabilities', goStrings(dropped, 'core.Capability'), detail));
  }
  for (const field of ['defaultAddCapabilities', 'allowedCapabilities'] as const) {
    for (const name of spec?.[field] ?? []) {
      const detail = `capability is listed in ${field} and requiredDropCapabilities`;
      if (drops.has(name)) errors.push(invalidField(field, name, detail));
    }
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

/** Validates host paths. Like upstream, ignores all paths after the first path without a prefix. */
function validateHostPaths(spec: Spec): FieldErrors {
  const prefixes = (spec?.allowedHostPaths ?? []).map(({ pathPrefix }) => pathPrefix ?? '');
  const missing = prefixes.indexOf('');
  const errors = prefixes
    .slice(0, missing < 0 ? undefined : missing)
    .flatMap((prefix, at) => withoutBacksteps(prefix, index('spec.allowedHostPaths', at)));
  return missing < 0
    ? errors
    : [...errors, requiredField(index('spec.allowedHostPaths', missing), 'is required')];
}

function validateRuntimeClasses(
  options: DeepReadonly<RuntimeClassStrategyOptions> | undefined,
  path: string,
): FieldErrors {
  if (options === undefined) return [];
  const usual = options.defaultRuntimeClassName;
  const allowed = options.allowedRuntimeClassNames ?? [];
  const field = child(path, 'allowedRuntimeClassNames');
  const repeated = repeats(allowed);
  const errors: FieldError[] = allowed.flatMap((name, at) => [
    ...(name === ANY_NAME ? [] : checked(index(field, at), name, isDns1123Subdomain)),
    ...(repeated.has(at) ? [duplicateField(index(field, at), name)] : []),
  ]);
  if (usual !== undefined) {
    errors.push(...checked(child(path, 'defaultRuntimeClassName'), usual, isDns1123Subdomain));
    if (!allowed.includes(usual) && !allowed.includes(ANY_NAME))
      errors.push(requiredField(field, `default ${JSON.stringify(usual)} must be allowed`));
  }
  if (allowed.includes(ANY_NAME) && allowed.length > 1) {
    const detail = "if '*' is present, must not specify other RuntimeClass names";
    errors.push(invalidLiteral(field, goStrings(allowed), detail));
  }
  return errors;
}

import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../status/field-errors.ts';
import type {
  HostAlias,
  PodDNSConfig,
  PodSecurityContext,
  PodSpec,
  PodTemplateSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../types/core-v1-pod.ts';
import { checked, validateAnnotations, validateLabels } from './metadata.ts';
import {
  type NameCheck,
  isDns1123Label,
  isDns1123Subdomain,
  isIpAddress,
  isLabelValue,
  isQualifiedName,
} from './names.ts';
import { within } from './numbers.ts';
import { validateAffinity } from './pod-affinity.ts';
import { validateContainers, validateIds } from './pod-containers.ts';
import { validateVolumes } from './pod-volumes.ts';
import { validateTaintEffect } from './taints.ts';

type Spec = DeepReadonly<PodSpec>;

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_INT32 = 2 ** 31 - 1;

/** Release 1.24, `ValidatePodTemplateSpec`. */
export function validatePodTemplate(
  template: DeepReadonly<PodTemplateSpec> | undefined,
  path: string,
): FieldErrors {
  const errors: FieldError[] = [
    ...validateLabels(template?.metadata?.labels, child(path, 'labels')),
    ...validateAnnotations(template?.metadata?.annotations, child(path, 'annotations')),
    ...validatePodSpec(template?.spec, child(path, 'spec')),
  ];
  if ((template?.spec?.ephemeralContainers ?? []).length > 0) {
    const field = child(path, 'spec', 'ephemeralContainers');
    errors.push(forbiddenField(field, 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}

/** Release 1.24, `ValidatePodSpec`. */
export function validatePodSpec(spec: Spec | undefined, path: string): FieldErrors {
  const volumes = new Set((spec?.volumes ?? []).map((volume) => volume.name));
  const taken = new Set<string>();
  const containers = child(path, 'containers');
  return [
    ...validateVolumes(spec?.volumes ?? [], child(path, 'volumes')),
    ...((spec?.containers ?? []).length === 0 ? [requiredField(containers)] : []),
    ...validateContainers(spec?.containers ?? [], volumes, taken, containers),
    ...validateContainers(spec?.initContainers ?? [], volumes, taken, child(path, 'initContainers')),
    ...oneOfPolicies(spec?.restartPolicy, RESTART_POLICIES, child(path, 'restartPolicy')),
    ...oneOfPolicies(spec?.dnsPolicy, DNS_POLICIES, child(path, 'dnsPolicy')),
    ...validateLabels(spec?.nodeSelector, child(path, 'nodeSelector')),
    ...validatePodSecurity(spec?.securityContext, child(path, 'securityContext')),
    ...validateAffinity(spec?.affinity, child(path, 'affinity')),
    ...validateDnsConfig(spec, child(path, 'dnsConfig')),
    ...validateSpread(spec?.topologySpreadConstraints ?? [], child(path, 'topologySpreadConstraints')),
    ...validateReferences(spec, path),
    ...within(child(path, 'activeDeadlineSeconds'), spec?.activeDeadlineSeconds, 1, MAX_INT32),
    ...validateTolerations(spec?.tolerations ?? [], child(path, 'tolerations')),
    ...validateHostAliases(spec?.hostAliases ?? [], child(path, 'hostAliases')),
    ...validateOs(spec?.os?.name, spec?.os !== undefined, child(path, 'os', 'name')),
  ];
}

function oneOfPolicies(policy: string | undefined, accepted: readonly string[], field: string): FieldErrors {
  if (!policy) return [requiredField(field)];
  return accepted.includes(policy) ? [] : [notSupportedField(field, policy, accepted)];
}

/** Names of other objects, and the pod's own host name. */
function validateReferences(spec: Spec | undefined, path: string): FieldErrors {
  const checks: readonly [keyof PodSpec & string, NameCheck][] = [
    ['serviceAccountName', isDns1123Subdomain],
    ['nodeName', isDns1123Subdomain],
    ['hostname', isDns1123Label],
    ['subdomain', isDns1123Label],
    ['priorityClassName', isDns1123Subdomain],
    ['runtimeClassName', isDns1123Subdomain],
  ];
  const errors: FieldError[] = checks.flatMap(([field, check]) => {
    const name = spec?.[field];
    return typeof name === 'string' && name !== '' ? checked(child(path, field), name, check) : [];
  });
  for (const [at, gate] of (spec?.readinessGates ?? []).entries()) {
    const field = child(index(child(path, 'readinessGates'), at), 'conditionType');
    errors.push(...checked(field, gate.conditionType ?? '', isQualifiedName));
  }
  for (const [at, secret] of (spec?.imagePullSecrets ?? []).entries()) {
    if (!secret.name) errors.push(requiredField(child(index(child(path, 'imagePullSecrets'), at), 'name')));
  }
  const policy: string | undefined = spec?.preemptionPolicy;
  if (policy !== undefined) {
    const accepted = ['PreemptLowerPriority', 'Never'];
    errors.push(...oneOfPolicies(policy, accepted, child(path, 'preemptionPolicy')));
  }
  return errors;
}

function validatePodSecurity(
  context: DeepReadonly<PodSecurityContext> | undefined,
  path: string,
): FieldErrors {
  if (context === undefined) return [];
  const policies = ['Always', 'OnRootMismatch'];
  const policy: string | undefined = context.fsGroupChangePolicy;
  const sysctls = new Set<string>();
  return [
    ...validateIds(context, path),
    ...within(child(path, 'fsGroup'), context.fsGroup, 0, MAX_INT32),
    ...(context.supplementalGroups ?? []).flatMap((group, at) =>
      within(index(child(path, 'supplementalGroups'), at), group, 0, MAX_INT32),
    ),
    ...(policy === undefined || policies.includes(policy)
      ? []
      : [notSupportedField(child(path, 'fsGroupChangePolicy'), policy, policies)]),
    ...(context.sysctls ?? []).flatMap(({ name = '' }, at) => {
      const field = child(index(child(path, 'sysctls'), at), 'name');
      const repeated = sysctls.has(name);
      sysctls.add(name);
      if (name === '') return [requiredField(field)];
      return repeated ? [invalidField(field, name, 'sysctl with the same name is already set')] : [];
    }),
  ];
}

function validateDnsConfig(spec: Spec | undefined, path: string): FieldErrors {
  const config: DeepReadonly<PodDNSConfig> | undefined = spec?.dnsConfig;
  const servers = config?.nameservers ?? [];
  const errors: FieldError[] = [];
  if (spec?.dnsPolicy === 'None') {
    if (config === undefined) {
      return [requiredField(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    }
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      errors.push(requiredField(child(path, 'nameservers'), detail));
    }
  }
  if (servers.length > 3) {
    errors.push(invalidField(child(path, 'nameservers'), servers, 'must not have more than 3 nameservers'));
  }
  servers.forEach((server, at) => {
    errors.push(...checked(index(child(path, 'nameservers'), at), server, isIpAddress));
  });
  (config?.searches ?? []).forEach((domain, at) => {
    const name = domain.endsWith('.') ? domain.slice(0, -1) : domain;
    errors.push(...checked(index(child(path, 'searches'), at), name, isDns1123Subdomain));
  });
  (config?.options ?? []).forEach((option, at) => {
    if (!option.name) errors.push(requiredField(index(child(path, 'options'), at), 'must not be empty'));
  });
  return errors;
}

function validateSpread(
  constraints: readonly DeepReadonly<TopologySpreadConstraint>[],
  path: string,
): FieldErrors {
  const actions = ['DoNotSchedule', 'ScheduleAnyway'];
  return constraints.flatMap((constraint, at) => {
    const each = index(path, at);
    const { maxSkew = 0, topologyKey = '' } = constraint;
    const action: string = constraint.whenUnsatisfiable ?? '';
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalidField(child(each, 'maxSkew'), maxSkew, 'must be greater than zero'));
    if (topologyKey === '') errors.push(requiredField(child(each, 'topologyKey'), 'can not be empty'));
    else errors.push(...checked(child(each, 'topologyKey'), topologyKey, isQualifiedName));
    if (!actions.includes(action)) {
      errors.push(notSupportedField(child(each, 'whenUnsatisfiable'), action, actions));
    }
    return errors;
  });
}

/** Release 1.24, `ValidateTolerations`. */
export const validateTolerations = (
  tolerations: readonly DeepReadonly<Toleration>[],
  path: string,
): FieldErrors => tolerations.flatMap((toleration, at) => validateToleration(toleration, index(path, at)));

function validateToleration(toleration: DeepReadonly<Toleration>, path: string): FieldErrors {
  const { key = '', value = '', effect, tolerationSeconds } = toleration;
  const operator: string = toleration.operator ?? '';
  const field = child(path, 'operator');
  const errors: FieldError[] = key === '' ? [] : [...checked(child(path, 'key'), key, isQualifiedName)];
  if (key === '' && operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidField(field, operator, detail));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidField(child(path, 'effect'), effect ?? '', detail));
  }
  if (operator === '' || operator === 'Equal') {
    const complaints = isLabelValue(value);
    if (complaints.length > 0) errors.push(invalidField(field, value, complaints.join(';')));
  } else if (operator !== 'Exists') {
    errors.push(notSupportedField(field, operator, ['Equal', 'Exists']));
  } else if (value !== '') {
    errors.push(invalidField(field, toleration, "value must be empty when `operator` is 'Exists'"));
  }
  return [...errors, ...validateTaintEffect(effect, true, child(path, 'effect'))];
}

const validateHostAliases = (aliases: readonly DeepReadonly<HostAlias>[], path: string): FieldErrors =>
  aliases.flatMap(({ ip = '', hostnames = [] }, at) => [
    ...checked(child(index(path, at), 'ip'), ip, isIpAddress),
    ...hostnames.flatMap((name) => checked(child(index(path, at), 'hostnames'), name, isDns1123Subdomain)),
  ]);

function validateOs(name: string | undefined, given: boolean, field: string): FieldErrors {
  if (!given) return [];
  return oneOfPolicies(name, ['linux', 'windows'], field);
}

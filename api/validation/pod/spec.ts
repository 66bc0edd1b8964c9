import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  HostAlias,
  PodDNSConfig,
  PodSpec,
  PodTemplateSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../../types/core-v1-pod.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { checked, validateAnnotations, validateLabels } from '../metadata.ts';
import {
  type NameCheck,
  isDns1123Label,
  isDns1123Subdomain,
  isIpAddress,
  isLabelValue,
  isQualifiedName,
} from '../names.ts';
import { within } from '../numbers.ts';
import { validateAffinity } from './affinity.ts';
import { validatePodAnnotations, validateSeccompAgreement } from './annotations.ts';
import { validateContainers, validateInitContainers } from './containers.ts';
import { validateEphemeralContainers } from './ephemeral.ts';
import { validateOs } from './os.ts';
import { validatePodSecurity } from './security.ts';
import { validateVolumes } from './volumes.ts';
import { validateHostProcesses } from './windows.ts';
import { validateResourceRequirements } from '../resources.ts';
import { validateTaintEffect } from './taints.ts';

type Spec = DeepReadonly<PodSpec>;

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const MAX_INT32 = 2 ** 31 - 1;

/** Checks the rules of `ValidatePodTemplateSpec` in Kubernetes 1.24. */
export function validatePodTemplate(
  template: DeepReadonly<PodTemplateSpec> | undefined,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const errors: FieldError[] = [
    ...validateTemplateMetadata(template, path, vocabulary),
    ...validatePodSpec(template?.spec, child(path, 'spec'), '', vocabulary),
    ...validateSeccompAgreement(
      template?.metadata?.annotations,
      template?.spec,
      child(path, 'spec'),
      vocabulary,
    ),
  ];
  if ((template?.spec?.ephemeralContainers ?? []).length > 0) {
    const field = child(path, 'spec', 'ephemeralContainers');
    errors.push(forbiddenField(field, 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}

/** Validates the labels and annotations of a pod template. */
export const validateTemplateMetadata = (
  template: DeepReadonly<PodTemplateSpec> | undefined,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors => [
  ...validateLabels(template?.metadata?.labels, child(path, 'labels')),
  ...validateAnnotations(template?.metadata?.annotations, child(path, 'annotations')),
  ...validatePodAnnotations(
    template?.metadata?.annotations,
    template?.spec,
    child(path, 'annotations'),
    vocabulary,
  ),
];

/**
 * Checks the rules of `ValidatePodSpec` in Kubernetes 1.24. `pod` is the name of the pod; `''` in a template.
 */
export function validatePodSpec(
  spec: Spec | undefined,
  path: string,
  pod: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const containers = child(path, 'containers');
  const { errors, volumes } = validateVolumes(spec?.volumes ?? [], child(path, 'volumes'), pod, vocabulary);
  return [
    ...errors,
    ...((spec?.containers ?? []).length === 0 ? [requiredField(containers)] : []),
    ...validateContainers(spec?.containers ?? [], volumes, containers),
    ...validateInitContainers(
      spec?.initContainers ?? [],
      spec?.containers ?? [],
      volumes,
      child(path, 'initContainers'),
    ),
    ...validateEphemeralContainers(spec ?? { containers: [] }, volumes, child(path, 'ephemeralContainers')),
    ...oneOfPolicies(spec?.restartPolicy, RESTART_POLICIES, child(path, 'restartPolicy')),
    ...oneOfPolicies(spec?.dnsPolicy, DNS_POLICIES, child(path, 'dnsPolicy')),
    ...validateLabels(spec?.nodeSelector, child(path, 'nodeSelector')),
    ...validatePodSecurity(spec, path),
    ...validateAffinity(spec?.affinity, child(path, 'affinity')),
    ...validateDnsConfig(spec, child(path, 'dnsConfig')),
    ...(spec?.readinessGates ?? []).flatMap(({ conditionType = '' }, at) =>
      checked(
        child(index(child(path, 'readinessGates'), at), 'conditionType'),
        conditionType,
        isQualifiedName,
      ),
    ),
    ...validateSpread(spec?.topologySpreadConstraints ?? [], child(path, 'topologySpreadConstraints')),
    ...validateHostProcesses(spec, path),
    ...validateNames(spec, path, [
      ['serviceAccountName', isDns1123Subdomain],
      ['nodeName', isDns1123Subdomain],
    ]),
    ...within(child(path, 'activeDeadlineSeconds'), spec?.activeDeadlineSeconds, 1, MAX_INT32),
    ...validateNames(spec, path, [
      ['hostname', isDns1123Label],
      ['subdomain', isDns1123Label],
    ]),
    ...validateTolerations(spec?.tolerations ?? [], child(path, 'tolerations')),
    ...validateHostAliases(spec?.hostAliases ?? [], child(path, 'hostAliases')),
    ...validateNames(spec, path, [['priorityClassName', isDns1123Subdomain]]),
    ...(spec?.runtimeClassName === undefined
      ? []
      : checked(child(path, 'runtimeClassName'), spec.runtimeClassName, isDns1123Subdomain)),
    ...validatePreemption(spec?.preemptionPolicy, child(path, 'preemptionPolicy')),
    ...validateResourceRequirements({ limits: spec?.overhead ?? {} }, child(path, 'overhead')),
    ...validateOs(spec, path),
  ];
}

function oneOfPolicies(policy: string | undefined, accepted: readonly string[], field: string): FieldErrors {
  if (!policy) return [requiredField(field)];
  return accepted.includes(policy) ? [] : [notSupportedField(field, policy, accepted)];
}

const validateNames = (
  spec: Spec | undefined,
  path: string,
  checks: readonly (readonly [keyof PodSpec & string, NameCheck])[],
): FieldErrors =>
  checks.flatMap(([field, check]) => {
    const name = spec?.[field];
    return typeof name === 'string' && name !== '' ? checked(child(path, field), name, check) : [];
  });

function validatePreemption(policy: string | undefined, field: string): FieldErrors {
  return policy === undefined ? [] : oneOfPolicies(policy, ['PreemptLowerPriority', 'Never'], field);
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
      return [requiredField(child(path, 'nameservers'), detail)];
    }
  }
  if (servers.length > 3) {
    const detail = 'must not have more than 3 nameservers';
    errors.push(invalidLiteral(child(path, 'nameservers'), goStrings(servers), detail));
  }
  servers.forEach((server, at) => {
    errors.push(...validateAddress(server, index(child(path, 'nameservers'), at)));
  });
  const searches = config?.searches ?? [];
  const refuseSearches = (detail: string): void =>
    void errors.push(invalidLiteral(child(path, 'searches'), goStrings(searches), detail));
  if (searches.length > 6) refuseSearches('must not have more than 6 search paths');
  if (searches.join(' ').length > 256) {
    refuseSearches('must not have more than 256 characters (including spaces) in the search list');
  }
  searches.forEach((domain, at) => {
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
  const identity = ({ topologyKey, whenUnsatisfiable }: (typeof constraints)[number]): string =>
    JSON.stringify([topologyKey ?? '', whenUnsatisfiable ?? '']);
  const lastAt = new Map(constraints.map((each, at) => [identity(each), at]));
  return constraints.flatMap((constraint, at) => {
    const each = index(path, at);
    const { maxSkew = 0, topologyKey = '' } = constraint;
    const action: string = constraint.whenUnsatisfiable ?? '';
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalidField(child(each, 'maxSkew'), maxSkew, 'must be greater than zero'));
    if (topologyKey === '') errors.push(requiredField(child(each, 'topologyKey'), 'can not be empty'));
    if (!actions.includes(action)) {
      errors.push(notSupportedField(child(each, 'whenUnsatisfiable'), action, actions));
    }
    if (lastAt.get(identity(constraint)) !== at) {
      const field = child(each, '{topologyKey, whenUnsatisfiable}');
      errors.push(duplicateField(field, `{${topologyKey}, ${action}}`));
    }
    return errors;
  });
}

/** Checks the rules of `ValidateTolerations` in Kubernetes 1.24. */
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
    const detail = "value must be empty when `operator` is 'Exists'";
    errors.push(invalidTyped(field, 'core.Toleration', toleration, detail));
  }
  return [...errors, ...validateTaintEffect(effect, true, child(path, 'effect'))];
}

/** Validates host aliases. Upstream's error paths name the list instead of the alias. */
const validateHostAliases = (aliases: readonly DeepReadonly<HostAlias>[], path: string): FieldErrors =>
  aliases.flatMap(({ ip = '', hostnames = [] }) => [
    ...validateAddress(ip, child(path, 'ip')),
    ...hostnames.flatMap((name) => checked(child(path, 'hostnames'), name, isDns1123Subdomain)),
  ]);

const validateAddress = (address: string, field: string): FieldErrors =>
  isIpAddress(address).length === 0 ? [] : [invalidField(field, address, 'must be valid IP address')];

import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../types/core-v1-pod.ts';
import { validateLabelRequirement, validateLabelSelector } from '../label-selector.ts';
import { checked } from '../metadata.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../names.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Checks the rules of `validateAffinity` in Kubernetes 1.24. */
export const validateAffinity = (affinity: DeepReadonly<Affinity> | undefined, path: string): FieldErrors => [
  ...validateNodeAffinity(affinity?.nodeAffinity, child(path, 'nodeAffinity')),
  ...validatePodAffinity(affinity?.podAffinity, child(path, 'podAffinity')),
  ...validatePodAffinity(affinity?.podAntiAffinity, child(path, 'podAntiAffinity')),
];

/** Checks the rules of `ValidateNodeSelector` in Kubernetes 1.24. */
export function validateNodeSelector(
  selector: DeepReadonly<NodeSelector> | undefined,
  path: string,
): FieldErrors {
  if (selector === undefined) return [];
  const terms = selector.nodeSelectorTerms ?? [];
  const field = child(path, 'nodeSelectorTerms');
  return terms.length === 0
    ? [requiredField(field, 'must have at least one node selector term')]
    : terms.flatMap((term, at) => validateTerm(term, index(field, at)));
}

function validateNodeAffinity(affinity: DeepReadonly<Affinity>['nodeAffinity'], path: string): FieldErrors {
  return [
    ...validateNodeSelector(affinity?.[REQUIRED], child(path, REQUIRED)),
    ...(affinity?.[PREFERRED] ?? []).flatMap(({ weight, preference }, at) => {
      const each = index(child(path, PREFERRED), at);
      return [...validateWeight(weight, each), ...validateTerm(preference, child(each, 'preference'))];
    }),
  ];
}

const validateWeight = (weight: number | undefined, path: string): FieldErrors =>
  weight !== undefined && weight >= 1 && weight <= 100
    ? []
    : [invalidField(child(path, 'weight'), weight ?? 0, 'must be in the range 1-100')];

const validateTerm = (term: DeepReadonly<NodeSelectorTerm> | undefined, path: string): FieldErrors => [
  ...(term?.matchExpressions ?? []).flatMap((each, at) =>
    validateRequirement(each, index(child(path, 'matchExpressions'), at)),
  ),
  ...(term?.matchFields ?? []).flatMap((each, at) =>
    validateFieldRequirement(each, index(child(path, 'matchFields'), at)),
  ),
];

/** Validates a requirement on the node field `metadata.name`, which must have exactly one value. */
function validateFieldRequirement(
  { key = '', operator, values = [] }: DeepReadonly<NodeSelectorRequirement>,
  path: string,
): FieldErrors {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalidField(child(path, 'operator'), operator ?? '', 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(requiredField(child(path, 'values'), detail));
  }
  if (key !== 'metadata.name') {
    return [...errors, invalidField(child(path, 'key'), key, 'not a valid field selector key')];
  }
  const names = values.flatMap((name, at) =>
    checked(index(child(path, 'values'), at), name, isDns1123Subdomain),
  );
  return [...errors, ...names];
}

/** Validates a requirement on a label, or a comparison of a label with one number. */
function validateRequirement(requirement: DeepReadonly<NodeSelectorRequirement>, path: string): FieldErrors {
  const { key = '', operator, values = [] } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt')
    return validateLabelRequirement({ ...requirement, operator }, path);
  const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
  return [
    ...(values.length === 1 ? [] : [requiredField(child(path, 'values'), detail)]),
    ...checked(child(path, 'key'), key, isQualifiedName),
  ];
}

const validatePodAffinity = (affinity: DeepReadonly<PodAffinity> | undefined, path: string): FieldErrors => [
  ...(affinity?.[REQUIRED] ?? []).flatMap((term, at) =>
    validatePodTerm(term, index(child(path, REQUIRED), at)),
  ),
  ...(affinity?.[PREFERRED] ?? []).flatMap(({ weight, podAffinityTerm }, at) => {
    const each = index(child(path, PREFERRED), at);
    return [
      ...validateWeight(weight, each),
      ...validatePodTerm(podAffinityTerm, child(each, 'podAffinityTerm')),
    ];
  }),
];

function validatePodTerm(term: DeepReadonly<PodAffinityTerm> | undefined, path: string): FieldErrors {
  const topologyKey = term?.topologyKey ?? '';
  const field = child(path, 'topologyKey');
  return [
    ...validateLabelSelector(term?.labelSelector, child(path, 'labelSelector')),
    ...validateLabelSelector(term?.namespaceSelector, child(path, 'namespaceSelector')),
    ...(term?.namespaces ?? []).flatMap((name) => checked(child(path, 'namespace'), name, isDns1123Label)),
    ...(topologyKey === '' ? [requiredField(field, 'can not be empty')] : []),
    ...checked(field, topologyKey, isQualifiedName),
  ];
}

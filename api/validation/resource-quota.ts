import { compareQuantities, quantityMilliValue, quantityOf } from '../quantity/quantity.ts';
import { sameValue } from '../kinds/carry-over.ts';
import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
} from '../status/field-errors.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '../types/core-v1-quota.ts';
import { checked, IMMUTABLE } from './metadata.ts';
import { isQualifiedName } from './names.ts';
import { quantityIn } from './resources.ts';

type Frozen = DeepReadonly<ResourceQuota>;
type Amounts = { readonly [name: string]: string } | undefined;
type Spec = DeepReadonly<ResourceQuotaSpec> | undefined;

const COUNTED = [
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
  'services.loadbalancers',
  'services.nodeports',
];
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const STANDARD = new Set([
  ...COUNTED,
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);
/** What quotas with each scope can count; pods alone unless it says otherwise. */
const POD_COMPUTE = new Set([
  'pods',
  ...COMPUTE,
  ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
];
const OPERATORS = ['DoesNotExist', 'Exists', 'In', 'NotIn'];

/** Release 1.24, `ValidateResourceQuotaSpec`. */
export const validateQuota = ({ spec }: Frozen): FieldErrors => [
  ...validateAmounts(spec?.hard, 'spec.hard'),
  ...validateScopes(spec),
  ...validateScopeSelector(spec),
];

const validateAmounts = (amounts: Amounts, path: string): FieldErrors =>
  Object.entries(amounts ?? {}).flatMap(([name, text]) => [
    ...validateName(name, mapKey(path, name)),
    ...validateAmount(name, text, mapKey(path, name)),
  ]);

function validateName(name: string, field: string): FieldErrors {
  const errors: FieldError[] = [...checked(field, name, isQualifiedName)];
  const isHugePages = /^(requests\.)?hugepages-/.test(name);
  if (name.includes('/') || STANDARD.has(name) || isHugePages) return errors;
  return [...errors, invalidField(field, name, 'must be a standard resource for quota')];
}

function validateAmount(name: string, text: string, field: string): FieldErrors {
  const amount = quantityIn(text);
  if (amount === undefined) return [];
  const errors: FieldError[] = [];
  if (compareQuantities(amount, quantityOf(0)) < 0) {
    errors.push(invalidField(field, text, 'must be greater than or equal to 0'));
  }
  if (COUNTED.includes(name) && quantityMilliValue(amount) % 1000n !== 0n) {
    errors.push(invalidField(field, text, 'must be an integer'));
  }
  return errors;
}

const fits = (scope: string, name: string): boolean => {
  if (scope === 'BestEffort') return name === 'pods';
  return scope === 'PriorityClass' || POD_COMPUTE.has(name) || name.startsWith('requests.hugepages-');
};

function validateScopes(spec: Spec): FieldErrors {
  const field = 'spec.scopes';
  const scopes: readonly string[] = spec?.scopes ?? [];
  const names = Object.keys(spec?.hard ?? {});
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(invalidField(field, scope, 'unsupported scope'));
    else if (names.some((name) => !fits(scope, name))) {
      errors.push(invalidField(field, scope, 'unsupported scope applied to resource'));
    }
  }
  const conflicting = [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ] as const;
  for (const [one, other] of conflicting) {
    if (scopes.includes(one) && scopes.includes(other))
      errors.push(invalidField(field, scopes, 'conflicting scopes'));
  }
  return errors;
}

function validateScopeSelector(spec: Spec): FieldErrors {
  const path = 'spec.scopeSelector.matchExpressions';
  return (spec?.scopeSelector?.matchExpressions ?? []).flatMap(({ scopeName, operator, values = [] }) => {
    const errors: FieldError[] = [];
    if (!SCOPES.includes(scopeName)) {
      errors.push(invalidField(`${path}.scopeName`, scopeName, 'unsupported scope'));
    } else if (scopeName !== 'PriorityClass' && operator !== 'Exists') {
      const detail =
        "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
      errors.push(invalidField(`${path}.operator`, operator, detail));
    }
    const takesValues = operator === 'In' || operator === 'NotIn';
    if (takesValues && values.length === 0) {
      errors.push(
        requiredField(
          `${path}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
    } else if (!takesValues && values.length > 0) {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalidField(`${path}.values`, values, detail));
    }
    if (!OPERATORS.includes(operator))
      errors.push(notSupportedField(`${path}.operator`, operator, OPERATORS));
    return errors;
  });
}

/** Release 1.24, `ValidateResourceQuotaUpdate`: what is counted is settled, how much is not. */
export const validateQuotaUpdate = (next: Frozen, previous: Frozen): FieldErrors => {
  const sorted = (quota: Frozen): readonly string[] => [...(quota.spec?.scopes ?? [])].sort();
  return sameValue(sorted(next), sorted(previous))
    ? []
    : [invalidField('spec.scopes', next.spec?.scopes, IMMUTABLE)];
};

/** Release 1.24, `ValidateResourceQuotaStatusUpdate`. */
export const validateQuotaStatus = ({ status }: Frozen): FieldErrors => [
  ...validateAmounts(status?.hard, 'status.hard'),
  ...validateAmounts(status?.used, 'status.used'),
];

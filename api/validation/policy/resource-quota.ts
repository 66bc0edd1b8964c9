import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  invalidField,
  mapKey,
  requiredField,
} from '../../status/field-errors.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '../../types/core-v1-quota.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { IMMUTABLE } from '../metadata.ts';
import { isQuotaResource, validateResourceAmount, validateResourceName } from '../resources.ts';

type Frozen = DeepReadonly<ResourceQuota>;
type Amounts = { readonly [name: string]: string } | undefined;
type Spec = DeepReadonly<ResourceQuotaSpec> | undefined;

const POD_COMPUTE = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
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

/** Checks the rules of `ValidateResourceQuotaSpec` in Kubernetes 1.24. */
export const validateQuota = ({ spec }: Frozen): FieldErrors => [
  ...validateAmounts(spec?.hard, 'spec.hard'),
  ...validateScopes(spec),
  ...validateScopeSelector(spec),
];

const validateAmounts = (amounts: Amounts, path: string): FieldErrors =>
  Object.entries(amounts ?? {}).flatMap(([name, text]) => [
    ...validateName(name, mapKey(path, name)),
    ...validateResourceAmount(name, text, mapKey(path, name)),
  ]);

function validateName(name: string, field: string): FieldErrors {
  const errors: FieldError[] = [...validateResourceName(name, field)];
  if (name.includes('/') || isQuotaResource(name)) return errors;
  return [...errors, invalidField(field, name, 'must be a standard resource for quota')];
}

/**
 * True if a quota with a scope can count a resource. Scopes apply to pods and their compute resources; the
 * scope `BestEffort` applies only to pods.
 */
const fits = (scope: string, name: string): boolean =>
  scope === 'BestEffort' ? name === 'pods' : !SCOPES.includes(scope) || POD_COMPUTE.has(name);

function validateScopes(spec: Spec): FieldErrors {
  const field = 'spec.scopes';
  const scopes: readonly string[] = spec?.scopes ?? [];
  const names = Object.keys(spec?.hard ?? {})
    .filter(isQuotaResource)
    .sort();
  const refused = (detail: string): FieldError =>
    invalidTyped(field, '[]core.ResourceQuotaScope', scopes, detail);
  const errors: FieldError[] = scopes.flatMap((scope) => [
    ...(SCOPES.includes(scope) ? [] : [refused('unsupported scope')]),
    ...names.filter((name) => !fits(scope, name)).map(() => refused('unsupported scope applied to resource')),
  ]);
  const conflicting = [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ] as const;
  for (const [one, other] of conflicting) {
    if (scopes.includes(one) && scopes.includes(other)) errors.push(refused('conflicting scopes'));
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
    } else if (!takesValues && OPERATORS.includes(operator) && values.length > 0) {
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      errors.push(invalidLiteral(`${path}.values`, goStrings(values), detail));
    }
    if (!OPERATORS.includes(operator))
      errors.push(invalidField(`${path}.operator`, operator ?? '', 'not a valid selector operator'));
    return errors;
  });
}

/**
 * Checks the rules of `ValidateResourceQuotaUpdate` in Kubernetes 1.24: scopes are immutable, amounts may
 * change.
 */
export const validateQuotaUpdate = (next: Frozen, previous: Frozen): FieldErrors => {
  const sorted = (quota: Frozen): readonly string[] => [...(quota.spec?.scopes ?? [])].sort();
  return sameValue(sorted(next), sorted(previous))
    ? []
    : [invalidTyped('spec.scopes', '[]core.ResourceQuotaScope', next.spec?.scopes, IMMUTABLE)];
};

/** Checks the rules of `ValidateResourceQuotaStatusUpdate` in Kubernetes 1.24. */
export const validateQuotaStatus = ({ status }: Frozen): FieldErrors => [
  ...validateAmounts(status?.hard, 'status.hard'),
  ...validateAmounts(status?.used, 'status.used'),
];

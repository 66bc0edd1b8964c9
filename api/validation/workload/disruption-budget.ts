import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  duplicateField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { PodDisruptionBudget } from '../../types/policy-v1.ts';
import { goPointer, goStruct, invalidLiteral } from '../go-text/values.ts';
import { validateAtMostWhole, validateIntOrPercent } from './int-or-percent.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { validateCounts } from './template.ts';
import { checked } from '../metadata.ts';
import { isQualifiedName } from '../names.ts';

type Frozen = DeepReadonly<PodDisruptionBudget>;

const STATUSES = ['False', 'True', 'Unknown'];

/** Checks the rules of `ValidatePodDisruptionBudgetSpec` in Kubernetes 1.24. */
export function validateDisruptionBudget({ spec }: Frozen): FieldErrors {
  const { minAvailable, maxUnavailable } = spec ?? {};
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const literal = goStruct('policy.PodDisruptionBudgetSpec', {
      MinAvailable: goPointer('intstr.IntOrString', minAvailable),
      Selector: goPointer('v1.LabelSelector', spec?.selector),
      MaxUnavailable: goPointer('intstr.IntOrString', maxUnavailable),
    });
    errors.push(invalidLiteral('spec', literal, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const [field, held] of Object.entries({ minAvailable, maxUnavailable })) {
    errors.push(
      ...validateIntOrPercent(held, `spec.${field}`),
      ...validateAtMostWhole(held, `spec.${field}`),
    );
  }
  return [...errors, ...validateLabelSelector(spec?.selector, 'spec.selector')];
}

/** Checks the rules of `ValidatePodDisruptionBudgetStatusUpdate` in Kubernetes 1.24. */
export function validateDisruptionStatus({ status }: Frozen): FieldErrors {
  const errors: FieldError[] = [
    ...validateCounts(status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']),
  ];
  const seen = new Set<string>();
  (status?.conditions ?? []).forEach(({ type, status: held, reason }, at) => {
    const path = `status.conditions[${at}]`;
    if (!type) errors.push(requiredField(`${path}.type`, 'must be set'));
    else errors.push(...checked(`${path}.type`, type, isQualifiedName));
    if (seen.has(type)) {
      errors.push(duplicateField(`${path}.type`, type));
    }
    seen.add(type);
    if (!STATUSES.includes(held)) {
      errors.push(notSupportedField(`${path}.status`, held, STATUSES));
    }
    if (!reason) errors.push(requiredField(`${path}.reason`, 'must be set'));
  });
  return errors;
}

import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Deployment, DeploymentStrategy, RollingUpdateDeployment } from '../../types/apps-v1.ts';
import { notSupportedTyped } from '../go-text/dump.ts';
import { goIntOrString } from '../go-text/structs.ts';
import { invalidLiteral } from '../go-text/values.ts';
import { isNone, validateAtMostWhole, validateIntOrPercent } from './int-or-percent.ts';
import { nonNegative } from '../numbers.ts';
import {
  validateCollisionCount,
  validateCounts,
  validateOwnSelector,
  validateParts,
  validateReplicatedTemplate,
} from './template.ts';

type Frozen = DeepReadonly<Deployment>;

/** Checks the rules of `ValidateDeploymentSpec` in Kubernetes 1.24. */
export function validateDeployment(
  { spec }: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  const errors: FieldError[] = [
    ...nonNegative('spec.replicas', spec?.replicas),
    ...validateOwnSelector(spec?.selector, 'spec.selector', 'deployment'),
    ...validateReplicatedTemplate(spec?.selector, spec?.template, 'spec.template', vocabulary),
    ...validateStrategy(spec?.strategy, 'spec.strategy'),
    ...nonNegative('spec.minReadySeconds', spec?.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec?.revisionHistoryLimit),
    ...nonNegative('spec.progressDeadlineSeconds', spec?.progressDeadlineSeconds),
  ];
  const deadline = spec?.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec?.minReadySeconds ?? 0)) {
    errors.push(
      invalidField('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'),
    );
  }
  return errors;
}

function validateStrategy(strategy: DeepReadonly<DeploymentStrategy> | undefined, path: string): FieldErrors {
  const { type = '', rollingUpdate } = strategy ?? {};
  const field = `${path}.rollingUpdate`;
  if (type === 'RollingUpdate') {
    return rollingUpdate
      ? validateRollingUpdate(rollingUpdate, field)
      : [requiredField(field, 'this should be defaulted and never be nil')];
  }
  if (type !== 'Recreate') {
    return [notSupportedTyped(path, 'apps.DeploymentStrategy', strategy, ['Recreate', 'RollingUpdate'])];
  }
  return rollingUpdate === undefined
    ? []
    : [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")];
}

function validateRollingUpdate(update: DeepReadonly<RollingUpdateDeployment>, path: string): FieldErrors {
  const unavailable = `${path}.maxUnavailable`;
  const errors: FieldError[] = [
    ...validateIntOrPercent(update.maxUnavailable, unavailable),
    ...validateIntOrPercent(update.maxSurge, `${path}.maxSurge`),
  ];
  if (isNone(update.maxUnavailable) && isNone(update.maxSurge)) {
    const literal = goIntOrString(update.maxUnavailable ?? 0);
    errors.push(invalidLiteral(unavailable, literal, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...validateAtMostWhole(update.maxUnavailable, unavailable)];
}

/** Checks the rules of `ValidateDeploymentStatusUpdate` in Kubernetes 1.24. */
export const validateDeploymentStatus = ({ status }: Frozen, previous: Frozen): FieldErrors => [
  ...validateCounts(status, [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
  ]),
  ...validateParts(status, [
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas'],
  ]),
  ...validateCollisionCount(status?.collisionCount, previous.status?.collisionCount),
];

import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, requiredField } from '../../status/field-errors.ts';
import type { DaemonSet, DaemonSetUpdateStrategy } from '../../types/apps-v1.ts';
import { notSupportedTyped } from '../go-text/dump.ts';
import { goIntOrString, goLabelSelector } from '../go-text/structs.ts';
import { goStringMap, invalidLiteral } from '../go-text/values.ts';
import { isNone, validateAtMostWhole, validateIntOrPercent } from './int-or-percent.ts';
import { isEmptySelector, isReadable, selects, validateLabelSelector } from '../label-selector.ts';
import { nonNegative } from '../numbers.ts';
import { validateCollisionCount, validateCounts, validateRunsForever } from './template.ts';
import { validatePodTemplate } from '../pod/spec.ts';

type Frozen = DeepReadonly<DaemonSet>;

/** Checks the rules of `ValidateDaemonSetSpec` in Kubernetes 1.24. */
export const validateDaemonSet = (
  { spec }: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors => [
  ...validateSelection(spec),
  ...validatePodTemplate(spec?.template, 'spec.template', vocabulary),
  ...validateRunsForever(spec?.template, 'spec.template', 'DaemonSet'),
  ...nonNegative('spec.minReadySeconds', spec?.minReadySeconds),
  ...validateUpdateStrategy(spec?.updateStrategy, 'spec.updateStrategy'),
  ...nonNegative('spec.revisionHistoryLimit', spec?.revisionHistoryLimit),
];

/**
 * Validates the selector. Like upstream, reports a missing selector as one that does not match the labels.
 */
function validateSelection(spec: Frozen['spec']): FieldErrors {
  const selector = spec?.selector;
  const labels = spec?.template?.metadata?.labels;
  const errors: FieldError[] = [...validateLabelSelector(selector, 'spec.selector')];
  if (!selector || (isReadable(selector) && !selects(selector, labels ?? {}))) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidLiteral('spec.template.metadata.labels', goStringMap(labels), detail));
  }
  if (selector && isEmptySelector(selector)) {
    const detail = 'empty selector is invalid for daemonset';
    errors.push(invalidLiteral('spec.selector', goLabelSelector(selector), detail));
  }
  return errors;
}

function validateUpdateStrategy(
  strategy: DeepReadonly<DaemonSetUpdateStrategy> | undefined,
  path: string,
): FieldErrors {
  const { type = '', rollingUpdate } = strategy ?? {};
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const type = 'apps.DaemonSetUpdateStrategy';
    return [notSupportedTyped(path, type, strategy, ['RollingUpdate', 'OnDelete'])];
  }
  if (rollingUpdate === undefined) return [requiredField(`${path}.rollingUpdate`)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const unavailable = `${path}.rollingUpdate.maxUnavailable`;
  const surge = `${path}.rollingUpdate.maxSurge`;
  const errors: FieldError[] = [
    ...validateIntOrPercent(maxUnavailable, unavailable),
    ...validateIntOrPercent(maxSurge, surge),
    ...validateAtMostWhole(maxUnavailable, unavailable),
    ...validateAtMostWhole(maxSurge, surge),
  ];
  if (isNone(maxUnavailable) && isNone(maxSurge)) {
    errors.push(requiredField(unavailable, 'cannot be 0 when maxSurge is 0'));
  } else if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    errors.push(invalidLiteral(surge, goIntOrString(maxSurge ?? 0), detail));
  }
  return errors;
}

/** Checks the rules of `ValidateDaemonSetStatusUpdate` in Kubernetes 1.24. */
export const validateDaemonSetStatus = ({ status }: Frozen, previous: Frozen): FieldErrors => [
  ...validateCounts(status, [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
  ]),
  ...validateCollisionCount(status?.collisionCount, previous.status?.collisionCount),
];

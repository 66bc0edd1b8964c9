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
  CrossVersionObjectReference,
  HPAScalingRules,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../types/autoscaling-v2.ts';
import { invalidTyped } from './go-dump.ts';
import { validateLabelSelector } from './label-selector.ts';
import { checked } from './metadata.ts';
import { isPathSegment } from './names.ts';
import { validatePositiveAmount } from './persistent-volume-claim.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const POLICY_TYPES = ['Percent', 'Pods'];
const SELECTIONS = ['Disabled', 'Max', 'Min'];
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

/** Release 1.24, `ValidateHorizontalPodAutoscaler`. */
export function validateAutoscaler(
  { spec }: DeepReadonly<HorizontalPodAutoscaler>,
  scalesToZero: boolean,
): FieldErrors {
  return [
    ...validateReplicas(spec, scalesToZero ? 0 : 1),
    ...validateReference(spec?.scaleTargetRef, 'spec.scaleTargetRef'),
    ...(spec?.metrics ?? []).flatMap((metric, at) => validateMetric(metric, index('spec.metrics', at))),
    ...validateRules(spec?.behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...validateRules(spec?.behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

function validateReplicas(
  spec: DeepReadonly<HorizontalPodAutoscalerSpec> | undefined,
  least: number,
): FieldErrors {
  const { minReplicas: min, maxReplicas: max = 0 } = spec ?? {};
  const errors: FieldError[] = [];
  if (min !== undefined && min < least) {
    errors.push(invalidField('spec.minReplicas', min, `must be greater than or equal to ${least}`));
  }
  const outside = spec?.metrics?.some(({ type }) => type === 'Object' || type === 'External');
  if (min === 0 && least === 0 && !outside) {
    const detail = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbiddenField('spec.metrics', detail));
  }
  if (max < 1) errors.push(invalidField('spec.maxReplicas', max, 'must be greater than 0'));
  if (min !== undefined && max < min) {
    errors.push(invalidField('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'));
  }
  return errors;
}

function validateReference(
  reference: DeepReadonly<CrossVersionObjectReference> | undefined,
  path: string,
): FieldErrors {
  return (['kind', 'name'] as const).flatMap((part) => {
    const text = reference?.[part] ?? '';
    const field = child(path, part);
    return text === '' ? [requiredField(field)] : checked(field, text, isPathSegment);
  });
}

function validateIdentifier(metric: DeepReadonly<MetricIdentifier> | undefined, path: string): FieldErrors {
  const name = metric?.name ?? '';
  const field = child(path, 'name');
  return [
    ...(name === '' ? [requiredField(field)] : checked(field, name, isPathSegment)),
    ...validateLabelSelector(metric?.selector, child(path, 'selector')),
  ];
}

type Target = DeepReadonly<MetricTarget>;

function validateTarget(target: Target | undefined, path: string): FieldErrors {
  const { type, value, averageValue, averageUtilization } = target ?? {};
  const errors: FieldError[] = [];
  if (!type) errors.push(requiredField(child(path, 'type'), 'must specify a metric target type'));
  else if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(
      invalidField(child(path, 'type'), type, 'must be either Utilization, Value, or AverageValue'),
    );
  }
  if (value !== undefined && validatePositiveAmount(value, path).length > 0) {
    errors.push(invalidTyped(child(path, 'value'), 'resource.Quantity', value, 'must be positive'));
  }
  if (averageValue !== undefined && validatePositiveAmount(averageValue, path).length > 0) {
    errors.push(
      invalidTyped(child(path, 'averageValue'), 'resource.Quantity', averageValue, 'must be positive'),
    );
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    errors.push(
      invalidField(child(path, 'averageUtilization'), averageUtilization, 'must be greater than 0'),
    );
  }
  return errors;
}

/** Either a share or an amount, of a resource. */
function validateShare(target: Target | undefined, path: string): FieldErrors {
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined) {
    return [
      requiredField(
        child(path, 'averageUtilization'),
        'must set either a target raw value or a target utilization',
      ),
    ];
  }
  return averageUtilization !== undefined && averageValue !== undefined
    ? [
        forbiddenField(
          child(path, 'averageValue'),
          'may not set both a target raw value and a target utilization',
        ),
      ]
    : [];
}

function validateMetric(metric: DeepReadonly<MetricSpec>, path: string): FieldErrors {
  const { type } = metric;
  const field = child(path, 'type');
  if (!type) return [requiredField(field, 'must specify a metric source type')];
  if (!TYPES.includes(type)) return [notSupportedField(field, type, TYPES)];
  const own = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const present = (['object', 'pods', 'resource', 'containerResource', 'external'] as const).filter(
    (source) => metric[source] !== undefined,
  );
  const errors: FieldError[] = present
    .filter((source) => source !== own)
    .map((source) => forbiddenField(child(path, source), 'must populate the given metric source only'));
  if (!present.some((source) => source === own)) {
    return [
      ...errors,
      requiredField(child(path, own), 'must populate information for the given metric source'),
    ];
  }
  return [...errors, ...validateSource(metric, child(path, own))];
}

function validateSource(metric: DeepReadonly<MetricSpec>, path: string): FieldErrors {
  const { type, object, pods, resource, containerResource, external } = metric;
  const target = child(path, 'target');
  const identifier = child(path, 'metric');
  const amountNeeded = (held: Target | undefined): FieldErrors =>
    held?.value === undefined && held?.averageValue === undefined
      ? [
          requiredField(
            child(target, 'averageValue'),
            'must set either a target value for metric or a per-pod target',
          ),
        ]
      : [];
  switch (type) {
    case 'Object':
      return [
        ...validateReference(object?.describedObject, child(path, 'describedObject')),
        ...validateTarget(object?.target, target),
        ...validateIdentifier(object?.metric, identifier),
        ...amountNeeded(object?.target),
      ];
    case 'Pods': {
      const average = pods?.target.averageValue;
      const detail = 'must specify a positive target averageValue';
      return [
        ...validateIdentifier(pods?.metric, identifier),
        ...validateTarget(pods?.target, target),
        ...(average === undefined ? [requiredField(child(target, 'averageValue'), detail)] : []),
      ];
    }
    case 'External':
      return [
        ...validateIdentifier(external?.metric, identifier),
        ...validateTarget(external?.target, target),
        ...amountNeeded(external?.target),
      ];
    default: {
      const held = type === 'Resource' ? resource : containerResource;
      const name = held?.name ?? '';
      const container = type === 'ContainerResource' && !containerResource?.container;
      return [
        ...(name === '' ? [requiredField(child(path, 'name'), 'must specify a resource name')] : []),
        ...(container ? [requiredField(child(path, 'container'), 'must specify a container')] : []),
        ...validateTarget(held?.target, target),
        ...validateShare(held?.target, target),
      ];
    }
  }
}

function validateRules(rules: DeepReadonly<HPAScalingRules> | undefined, path: string): FieldErrors {
  if (rules === undefined) return [];
  const errors: FieldError[] = [];
  const seconds = rules.stabilizationWindowSeconds;
  const window = child(path, 'stabilizationWindowSeconds');
  if (seconds !== undefined && seconds < 0) {
    errors.push(invalidField(window, seconds, 'must be greater than or equal to zero'));
  } else if (seconds !== undefined && seconds > MAX_WINDOW_SECONDS) {
    errors.push(invalidField(window, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  }
  if (rules.selectPolicy !== undefined && !SELECTIONS.includes(rules.selectPolicy)) {
    errors.push(notSupportedField(child(path, 'selectPolicy'), rules.selectPolicy, SELECTIONS));
  }
  const policies = rules.policies ?? [];
  if (policies.length === 0)
    errors.push(requiredField(child(path, 'policies'), 'must specify at least one Policy'));
  policies.forEach(({ type, value, periodSeconds }, at) => {
    const each = index(child(path, 'policies'), at);
    if (!POLICY_TYPES.includes(type)) errors.push(notSupportedField(child(each, 'type'), type, POLICY_TYPES));
    if (value <= 0) errors.push(invalidField(child(each, 'value'), value, 'must be greater than zero'));
    const period = child(each, 'periodSeconds');
    if (periodSeconds <= 0) errors.push(invalidField(period, periodSeconds, 'must be greater than zero'));
    else if (periodSeconds > MAX_PERIOD_SECONDS) {
      errors.push(invalidField(period, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
    }
  });
  return errors;
}

import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  CrossVersionObjectReference,
  HPAScalingRules,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from '../../types/autoscaling-v2.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { checked } from '../metadata.ts';
import { isPathSegment } from '../names.ts';
import { nonNegative } from '../numbers.ts';
import { validatePositiveAmount } from '../volume/claim.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const POLICY_TYPES = ['Percent', 'Pods'];
const SELECTIONS = ['Disabled', 'Max', 'Min'];
const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;

/** Checks the rules of `ValidateHorizontalPodAutoscaler` in Kubernetes 1.24. */
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

/** Checks the rules of `ValidateHorizontalPodAutoscalerStatusUpdate` in Kubernetes 1.24. */
export const validateAutoscalerStatus = ({ status }: DeepReadonly<HorizontalPodAutoscaler>): FieldErrors => [
  ...nonNegative('status.currentReplicas', status?.currentReplicas),
  ...nonNegative('status.desiredReplicas', status?.desiredReplicas),
];

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
  if (min === 0 && !outside) {
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
  return name === ''
    ? [requiredField(field, 'must specify a metric name')]
    : checked(field, name, isPathSegment);
}

type Target = DeepReadonly<MetricTarget>;

function validateTarget(target: Target | undefined, path: string): FieldErrors {
  const { type, value, averageValue, averageUtilization } = target ?? {};
  const errors: FieldError[] = [];
  if (!type) errors.push(requiredField(child(path, 'type'), 'must specify a metric target type'));
  if (!['Utilization', 'Value', 'AverageValue'].includes(type ?? '')) {
    const detail = 'must be either Utilization, Value, or AverageValue';
    errors.push(invalidField(child(path, 'type'), type ?? '', detail));
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

/** Validates the target of a resource metric, which must have either a utilization or an average value. */
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

/**
 * Metric sources in the order of upstream's checks. The first source present is validated, even if it does
 * not match the type.
 */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
type Source = (typeof SOURCES)[number];

function validateMetric(metric: DeepReadonly<MetricSpec>, path: string): FieldErrors {
  const type: string = metric.type ?? '';
  const field = child(path, 'type');
  const known = TYPES.includes(type);
  const own = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const present = SOURCES.filter((source) => metric[source] !== undefined);
  const [first] = present;
  const errors: FieldError[] = type === '' ? [requiredField(field, 'must specify a metric source type')] : [];
  // Upstream reports an unknown type both before and after checking the sources.
  if (!known) errors.push(notSupportedField(field, type, TYPES), notSupportedField(field, type, TYPES));
  if (first !== undefined) errors.push(...validateSource(metric, first, child(path, first)));
  if (known && !present.some((source) => source === own)) {
    errors.push(requiredField(child(path, own), 'must populate information for the given metric source'));
  }
  if (present.length === 1) return errors;
  const others = present.filter((source) => source !== own);
  return [
    ...errors,
    ...others.map((source) =>
      forbiddenField(child(path, source), 'must populate the given metric source only'),
    ),
  ];
}

function validateSource(metric: DeepReadonly<MetricSpec>, source: Source, path: string): FieldErrors {
  switch (source) {
    case 'object':
      return [
        ...validateReference(metric.object?.describedObject, child(path, 'describedObject')),
        ...validateIdentifier(metric.object?.metric, child(path, 'metric')),
        ...validateAmount(metric.object?.target, path, 'must set either a target value or averageValue'),
      ];
    case 'external':
      return validateExternal(metric.external, path);
    case 'pods': {
      const target = child(path, 'target');
      const detail = 'must specify a positive target averageValue';
      return [
        ...validateIdentifier(metric.pods?.metric, child(path, 'metric')),
        ...validateTarget(metric.pods?.target, target),
        ...(metric.pods?.target?.averageValue === undefined
          ? [requiredField(child(target, 'averageValue'), detail)]
          : []),
      ];
    }
    default:
      return validateResource(metric, source, path);
  }
}

/** Validates a target that must have either a value or an average value. */
function validateAmount(target: Target | undefined, path: string, detail: string): FieldErrors {
  const field = child(path, 'target');
  const open = target?.value === undefined && target?.averageValue === undefined;
  return [
    ...validateTarget(target, field),
    ...(open ? [requiredField(child(field, 'averageValue'), detail)] : []),
  ];
}

function validateExternal(source: DeepReadonly<MetricSpec>['external'], path: string): FieldErrors {
  const { value, averageValue } = source?.target ?? {};
  const both = 'may not set both a target value for metric and a per-pod target';
  return [
    ...validateIdentifier(source?.metric, child(path, 'metric')),
    ...validateAmount(source?.target, path, 'must set either a target value for metric or a per-pod target'),
    ...(value !== undefined && averageValue !== undefined
      ? [forbiddenField(child(path, 'target', 'value'), both)]
      : []),
  ];
}

function validateResource(
  metric: DeepReadonly<MetricSpec>,
  source: 'resource' | 'containerResource',
  path: string,
): FieldErrors {
  const held = metric[source];
  const name = held?.name ?? '';
  const container = source === 'containerResource' && !metric.containerResource?.container;
  const target = child(path, 'target');
  return [
    ...(name === '' ? [requiredField(child(path, 'name'), 'must specify a resource name')] : []),
    ...(container ? [requiredField(child(path, 'container'), 'must specify a container')] : []),
    ...validateTarget(held?.target, target),
    ...validateShare(held?.target, target),
  ];
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

import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type {
  HPAScalingRules,
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../types/autoscaling-v2.ts';
import { validateAutoscaler, validateAutoscalerStatus } from '../../validation/workload/autoscaler.ts';
import { statusSubresource } from '../status-subresource.ts';

type Frozen = DeepReadonly<HorizontalPodAutoscaler>;

/** Default target of the CPU utilization, in percent of the requested CPU. */
export const USUAL_CPU = 80;

/** Returns the default metric: the CPU utilization. */
export const usualMetric = (): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: USUAL_CPU } },
});

const scaleUp = (rules: HPAScalingRules): HPAScalingRules => ({
  stabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? 0,
  selectPolicy: rules.selectPolicy ?? 'Max',
  policies: rules.policies ?? [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
});

const scaleDown = (rules: HPAScalingRules): HPAScalingRules => ({
  ...rules,
  selectPolicy: rules.selectPolicy ?? 'Max',
  policies: rules.policies ?? [{ type: 'Percent', value: 100, periodSeconds: 15 }],
});

/** Strategy of HorizontalPodAutoscalers. */
export const autoscalerStrategy: Strategy<HorizontalPodAutoscaler> = {
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) spec.metrics = [usualMetric()];
    const { behavior } = spec;
    if (behavior === undefined) return;
    behavior.scaleUp = scaleUp(behavior.scaleUp ?? {});
    behavior.scaleDown = scaleDown(behavior.scaleDown ?? {});
  },
  prepareForCreate(next) {
    // Upstream writes missing metrics as null.
    next.status = { desiredReplicas: 0, currentMetrics: null as never };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validateCreate: (next, { enabled }) => validateAutoscaler(next, enabled('HPAScaleToZero')),
  validateUpdate: (next, previous, { enabled }) =>
    validateAutoscaler(next, enabled('HPAScaleToZero') || previous.spec?.minReplicas === 0),
};

/** Subresources of HorizontalPodAutoscalers. */
export const autoscalerSubresources = {
  status: statusSubresource<HorizontalPodAutoscaler>(validateAutoscalerStatus),
};

const UNKNOWN = '<unknown>';

/** Returns `current/desired` in the form of the target. */
function ratio(
  target: DeepReadonly<MetricTarget>,
  current: DeepReadonly<MetricValueStatus> | undefined,
): string {
  if (target.averageUtilization !== undefined) {
    const now = current?.averageUtilization;
    return `${now === undefined ? UNKNOWN : `${now}%`}/${target.averageUtilization}%`;
  }
  if (target.averageValue !== undefined)
    return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
  return `${current?.value ?? UNKNOWN}/${target.value ?? '0'}`;
}

function metricText(
  metric: DeepReadonly<MetricSpec>,
  current: DeepReadonly<MetricStatus> | undefined,
): string {
  switch (metric.type) {
    case 'Pods': {
      const now = current?.pods?.current.averageValue ?? UNKNOWN;
      return `${now}/${metric.pods?.target.averageValue ?? '0'}`;
    }
    case 'Object':
      return ratio(metric.object?.target ?? { type: 'Value' }, current?.object?.current);
    case 'External':
      return ratio(metric.external?.target ?? { type: 'Value' }, current?.external?.current);
    case 'Resource':
      return resourceText(metric.resource?.target, current?.resource?.current);
    case 'ContainerResource':
      return resourceText(metric.containerResource?.target, current?.containerResource?.current);
    default:
      return '<unknown type>';
  }
}

/** Returns `current/desired` as a utilization or an average amount. */
function resourceText(
  target: DeepReadonly<MetricTarget> | undefined,
  current: DeepReadonly<MetricValueStatus> | undefined,
): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${target.averageValue}`;
  const wanted = target?.averageUtilization === undefined ? '<auto>' : `${target.averageUtilization}%`;
  return `${current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`}/${wanted}`;
}

/** Formats at most two metrics, followed by the number of omitted metrics. */
function targetsText({ spec, status }: Frozen): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return '<none>';
  const texts = metrics.map((metric, at) => metricText(metric, status?.currentMetrics?.[at]));
  const shown = texts.slice(0, 2).join(', ');
  return texts.length > 2 ? `${shown} + ${texts.length - 2} more...` : shown;
}

/** Table columns of HorizontalPodAutoscalers. */
export const autoscalerColumns: readonly Column<HorizontalPodAutoscaler>[] = [
  nameColumn,
  column<HorizontalPodAutoscaler>(
    'Reference',
    ({ spec }) => {
      const { kind = '', name = '' } = spec?.scaleTargetRef ?? {};
      return `${kind}/${name}`;
    },
    'scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics should be collected, as well as to actually change the replica count.',
  ),
  column<HorizontalPodAutoscaler>(
    'Targets',
    targetsText,
    'metrics contains the specifications for which to use to calculate the desired replica count (the maximum replica count across all metrics will be used).  The desired replica count is calculated multiplying the ratio between the target value and the current value by the current number of pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the individual metric source types for more information about how each type of metric must respond.',
  ),
  column<HorizontalPodAutoscaler>(
    'MinPods',
    ({ spec }) => spec?.minReplicas?.toString() ?? '<unset>',
    'minReplicas is the lower limit for the number of replicas to which the autoscaler can scale down.  It defaults to 1 pod.  minReplicas is allowed to be 0 if the alpha feature gate HPAScaleToZero is enabled and at least one Object or External metric is configured.  Scaling is active as long as at least one metric value is available.',
  ),
  column<HorizontalPodAutoscaler>(
    'MaxPods',
    ({ spec }) => spec?.maxReplicas ?? 0,
    'maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It cannot be less that minReplicas.',
  ),
  column<HorizontalPodAutoscaler>(
    'Replicas',
    ({ status }) => status?.currentReplicas ?? 0,
    'currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by the autoscaler.',
  ),
  ageColumn,
];

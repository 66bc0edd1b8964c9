import { atVersion } from '../schema/at-version.ts';
import {
  type Infer,
  int32,
  int64,
  listOf,
  optional,
  ref,
  required,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';
import * as stable from './autoscaling-v2.ts';

const types = atVersion('v2beta2', {
  CrossVersionObjectReference: stable.CrossVersionObjectReference,
  HPAScalingPolicy: stable.HPAScalingPolicy,
  MetricTarget: stable.MetricTarget,
  ContainerResourceMetricSource: stable.ContainerResourceMetricSource,
  MetricIdentifier: stable.MetricIdentifier,
  ExternalMetricSource: stable.ExternalMetricSource,
  ObjectMetricSource: stable.ObjectMetricSource,
  PodsMetricSource: stable.PodsMetricSource,
  ResourceMetricSource: stable.ResourceMetricSource,
  MetricSpec: stable.MetricSpec,
  HorizontalPodAutoscalerCondition: stable.HorizontalPodAutoscalerCondition,
  MetricValueStatus: stable.MetricValueStatus,
  ContainerResourceMetricStatus: stable.ContainerResourceMetricStatus,
  ExternalMetricStatus: stable.ExternalMetricStatus,
  ObjectMetricStatus: stable.ObjectMetricStatus,
  PodsMetricStatus: stable.PodsMetricStatus,
  ResourceMetricStatus: stable.ResourceMetricStatus,
  MetricStatus: stable.MetricStatus,
});

/** Rules for scaling in one direction: policies and the stabilization window. */
export const HPAScalingRules = struct('api.autoscaling.v2beta2.HPAScalingRules', {
  stabilizationWindowSeconds: optional(3, int32),
  selectPolicy: optional(1, wordOf('Disabled', 'Max', 'Min')),
  policies: optional(2, listOf(ref<stable.HPAScalingPolicy>(types.HPAScalingPolicy))),
});
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

/** Rules for scaling up and for scaling down. */
export const HorizontalPodAutoscalerBehavior = struct(
  'api.autoscaling.v2beta2.HorizontalPodAutoscalerBehavior',
  {
    scaleUp: optional(1, ref<HPAScalingRules>(HPAScalingRules)),
    scaleDown: optional(2, ref<HPAScalingRules>(HPAScalingRules)),
  },
);
export interface HorizontalPodAutoscalerBehavior extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

/** Spec of a HorizontalPodAutoscaler: the scaled object, the bounds of the replica count and the metrics. */
export const HorizontalPodAutoscalerSpec = struct('api.autoscaling.v2beta2.HorizontalPodAutoscalerSpec', {
  scaleTargetRef: required(1, ref<stable.CrossVersionObjectReference>(types.CrossVersionObjectReference)),
  minReplicas: optional(2, int32),
  maxReplicas: required(3, int32),
  metrics: value(4, listOf(ref<stable.MetricSpec>(types.MetricSpec))),
  behavior: optional(5, ref<HorizontalPodAutoscalerBehavior>(HorizontalPodAutoscalerBehavior)),
});
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

/** Status of a HorizontalPodAutoscaler: replica counts, metric values and conditions. */
export const HorizontalPodAutoscalerStatus = struct('api.autoscaling.v2beta2.HorizontalPodAutoscalerStatus', {
  observedGeneration: optional(1, int64),
  lastScaleTime: optional(2, time),
  currentReplicas: required(3, int32),
  desiredReplicas: required(4, int32),
  currentMetrics: required(5, listOf(ref<stable.MetricStatus>(types.MetricStatus)), { lenient: true }),
  conditions: required(
    6,
    listOf(ref<stable.HorizontalPodAutoscalerCondition>(types.HorizontalPodAutoscalerCondition)),
    {
      lenient: true,
    },
  ),
});
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

/** Kind HorizontalPodAutoscaler: changes the replica count of a workload to keep metrics at their targets. */
export const HorizontalPodAutoscaler = struct('api.autoscaling.v2beta2.HorizontalPodAutoscaler', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<HorizontalPodAutoscalerSpec>(HorizontalPodAutoscalerSpec)),
  status: value(3, ref<HorizontalPodAutoscalerStatus>(HorizontalPodAutoscalerStatus)),
});
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

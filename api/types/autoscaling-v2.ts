import {
  type Infer,
  int32,
  int64,
  listOf,
  oneOf,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Reference to an object of the same namespace, at any served version of its kind. */
export const CrossVersionObjectReference = struct('api.autoscaling.v2.CrossVersionObjectReference', {
  kind: required(1, string),
  name: required(2, string),
  apiVersion: value(3, string),
});
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

/** Limit on the change of the replica count within a period. */
export const HPAScalingPolicy = struct('api.autoscaling.v2.HPAScalingPolicy', {
  type: required(1, wordOf('Percent', 'Pods')),
  value: required(2, int32),
  periodSeconds: required(3, int32),
});
export interface HPAScalingPolicy extends Infer<typeof HPAScalingPolicy> {}

/** Rules for scaling in one direction: policies and the stabilization window. */
export const HPAScalingRules = struct('api.autoscaling.v2.HPAScalingRules', {
  stabilizationWindowSeconds: optional(3, int32),
  selectPolicy: optional(1, wordOf('Disabled', 'Max', 'Min')),
  policies: optional(2, listOf(ref<HPAScalingPolicy>(HPAScalingPolicy)), { listType: 'atomic' }),
});
export interface HPAScalingRules extends Infer<typeof HPAScalingRules> {}

/** Rules for scaling up and for scaling down. */
export const HorizontalPodAutoscalerBehavior = struct('api.autoscaling.v2.HorizontalPodAutoscalerBehavior', {
  scaleUp: optional(1, ref<HPAScalingRules>(HPAScalingRules)),
  scaleDown: optional(2, ref<HPAScalingRules>(HPAScalingRules)),
});
export interface HorizontalPodAutoscalerBehavior extends Infer<typeof HorizontalPodAutoscalerBehavior> {}

/** Target value of a metric. The member that `type` names must be set. */
export const MetricTarget = struct('api.autoscaling.v2.MetricTarget', {
  type: required(1, oneOf('AverageValue', 'Utilization', 'Value')),
  value: optional(2, quantity),
  averageValue: optional(3, quantity),
  averageUtilization: optional(4, int32),
});
export interface MetricTarget extends Infer<typeof MetricTarget> {}

/** Metric source: the use of a resource by one container of each pod. */
export const ContainerResourceMetricSource = struct('api.autoscaling.v2.ContainerResourceMetricSource', {
  name: required(1, string),
  target: required(2, ref<MetricTarget>(MetricTarget)),
  container: required(3, string),
});
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

/** Identifier of a metric: its name and a label selector. */
export const MetricIdentifier = struct('api.autoscaling.v2.MetricIdentifier', {
  name: required(1, string),
  selector: optional(2, ref<LabelSelector>(LabelSelector)),
});
export interface MetricIdentifier extends Infer<typeof MetricIdentifier> {}

/** Metric source: a metric from outside of the cluster, such as the length of a queue. */
export const ExternalMetricSource = struct('api.autoscaling.v2.ExternalMetricSource', {
  metric: required(1, ref<MetricIdentifier>(MetricIdentifier)),
  target: required(2, ref<MetricTarget>(MetricTarget)),
});
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

/** Metric source: a metric of a single object. */
export const ObjectMetricSource = struct('api.autoscaling.v2.ObjectMetricSource', {
  describedObject: required(1, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
  target: required(2, ref<MetricTarget>(MetricTarget)),
  metric: required(3, ref<MetricIdentifier>(MetricIdentifier)),
});
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

/** Metric source: the average of a metric that every pod has. */
export const PodsMetricSource = struct('api.autoscaling.v2.PodsMetricSource', {
  metric: required(1, ref<MetricIdentifier>(MetricIdentifier)),
  target: required(2, ref<MetricTarget>(MetricTarget)),
});
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

/** Metric source: the use of a resource by the pods. */
export const ResourceMetricSource = struct('api.autoscaling.v2.ResourceMetricSource', {
  name: required(1, string),
  target: required(2, ref<MetricTarget>(MetricTarget)),
});
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

/** A metric and its target. The member that `type` names must be set. */
export const MetricSpec = struct('api.autoscaling.v2.MetricSpec', {
  type: required(1, oneOf('ContainerResource', 'External', 'Object', 'Pods', 'Resource')),
  object: optional(2, ref<ObjectMetricSource>(ObjectMetricSource)),
  pods: optional(3, ref<PodsMetricSource>(PodsMetricSource)),
  resource: optional(4, ref<ResourceMetricSource>(ResourceMetricSource)),
  containerResource: optional(7, ref<ContainerResourceMetricSource>(ContainerResourceMetricSource)),
  external: optional(5, ref<ExternalMetricSource>(ExternalMetricSource)),
});
export interface MetricSpec extends Infer<typeof MetricSpec> {}

/** Spec of a HorizontalPodAutoscaler: the scaled object, the bounds of the replica count and the metrics. */
export const HorizontalPodAutoscalerSpec = struct('api.autoscaling.v2.HorizontalPodAutoscalerSpec', {
  scaleTargetRef: required(1, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
  minReplicas: optional(2, int32),
  maxReplicas: required(3, int32),
  metrics: value(4, listOf(ref<MetricSpec>(MetricSpec)), { listType: 'atomic' }),
  behavior: optional(5, ref<HorizontalPodAutoscalerBehavior>(HorizontalPodAutoscalerBehavior)),
});
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

/** Condition of a HorizontalPodAutoscaler. */
export const HorizontalPodAutoscalerCondition = struct(
  'api.autoscaling.v2.HorizontalPodAutoscalerCondition',
  {
    type: required(1, string),
    status: required(2, wordOf('False', 'True', 'Unknown')),
    lastTransitionTime: value(3, time),
    reason: value(4, string),
    message: value(5, string),
  },
);
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

/** Current value of a metric. */
export const MetricValueStatus = struct('api.autoscaling.v2.MetricValueStatus', {
  value: optional(1, quantity),
  averageValue: optional(2, quantity),
  averageUtilization: optional(3, int32),
});
export interface MetricValueStatus extends Infer<typeof MetricValueStatus> {}

/** Current use of a resource by one container of each pod. */
export const ContainerResourceMetricStatus = struct('api.autoscaling.v2.ContainerResourceMetricStatus', {
  name: required(1, string),
  current: required(2, ref<MetricValueStatus>(MetricValueStatus)),
  container: required(3, string),
});
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

/** Current value of a metric from outside of the cluster. */
export const ExternalMetricStatus = struct('api.autoscaling.v2.ExternalMetricStatus', {
  metric: required(1, ref<MetricIdentifier>(MetricIdentifier)),
  current: required(2, ref<MetricValueStatus>(MetricValueStatus)),
});
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

/** Current value of a metric of a single object. */
export const ObjectMetricStatus = struct('api.autoscaling.v2.ObjectMetricStatus', {
  metric: required(1, ref<MetricIdentifier>(MetricIdentifier)),
  current: required(2, ref<MetricValueStatus>(MetricValueStatus)),
  describedObject: required(3, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
});
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

/** Current average of a metric that every pod has. */
export const PodsMetricStatus = struct('api.autoscaling.v2.PodsMetricStatus', {
  metric: required(1, ref<MetricIdentifier>(MetricIdentifier)),
  current: required(2, ref<MetricValueStatus>(MetricValueStatus)),
});
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

/** Current use of a resource by the pods. */
export const ResourceMetricStatus = struct('api.autoscaling.v2.ResourceMetricStatus', {
  name: required(1, string),
  current: required(2, ref<MetricValueStatus>(MetricValueStatus)),
});
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

/** Current value of one metric. The member that `type` names is set. */
export const MetricStatus = struct('api.autoscaling.v2.MetricStatus', {
  type: required(1, oneOf('ContainerResource', 'External', 'Object', 'Pods', 'Resource')),
  object: optional(2, ref<ObjectMetricStatus>(ObjectMetricStatus)),
  pods: optional(3, ref<PodsMetricStatus>(PodsMetricStatus)),
  resource: optional(4, ref<ResourceMetricStatus>(ResourceMetricStatus)),
  containerResource: optional(7, ref<ContainerResourceMetricStatus>(ContainerResourceMetricStatus)),
  external: optional(5, ref<ExternalMetricStatus>(ExternalMetricStatus)),
});
export interface MetricStatus extends Infer<typeof MetricStatus> {}

/** Status of a HorizontalPodAutoscaler: replica counts, metric values and conditions. */
export const HorizontalPodAutoscalerStatus = struct('api.autoscaling.v2.HorizontalPodAutoscalerStatus', {
  observedGeneration: optional(1, int64),
  lastScaleTime: optional(2, time),
  currentReplicas: value(3, int32),
  desiredReplicas: required(4, int32),
  currentMetrics: required(5, listOf(ref<MetricStatus>(MetricStatus)), { lenient: true, listType: 'atomic' }),
  conditions: value(6, listOf(ref<HorizontalPodAutoscalerCondition>(HorizontalPodAutoscalerCondition)), {
    listType: 'map',
    listMapKeys: ['type'],
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

/** Kind HorizontalPodAutoscaler: changes the replica count of a workload to keep metrics at their targets. */
export const HorizontalPodAutoscaler = struct('api.autoscaling.v2.HorizontalPodAutoscaler', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<HorizontalPodAutoscalerSpec>(HorizontalPodAutoscalerSpec)),
  status: value(3, ref<HorizontalPodAutoscalerStatus>(HorizontalPodAutoscalerStatus)),
});
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

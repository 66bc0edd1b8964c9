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
export const CrossVersionObjectReference = struct('api.autoscaling.v2beta1.CrossVersionObjectReference', {
  kind: required(1, string),
  name: required(2, string),
  apiVersion: value(3, string),
});
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

/** Metric source: the use of a resource by one container of each pod. */
export const ContainerResourceMetricSource = struct('api.autoscaling.v2beta1.ContainerResourceMetricSource', {
  name: required(1, string),
  targetAverageUtilization: optional(2, int32),
  targetAverageValue: optional(3, quantity),
  container: required(4, string),
});
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

/** Metric source: a metric from outside of the cluster, such as the length of a queue. */
export const ExternalMetricSource = struct('api.autoscaling.v2beta1.ExternalMetricSource', {
  metricName: required(1, string),
  metricSelector: optional(2, ref<LabelSelector>(LabelSelector)),
  targetValue: optional(3, quantity),
  targetAverageValue: optional(4, quantity),
});
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

/** Metric source: a metric of a single object. */
export const ObjectMetricSource = struct('api.autoscaling.v2beta1.ObjectMetricSource', {
  target: required(1, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
  metricName: required(2, string),
  targetValue: required(3, quantity),
  selector: optional(4, ref<LabelSelector>(LabelSelector)),
  averageValue: optional(5, quantity),
});
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

/** Metric source: the average of a metric that every pod has. */
export const PodsMetricSource = struct('api.autoscaling.v2beta1.PodsMetricSource', {
  metricName: required(1, string),
  targetAverageValue: required(2, quantity),
  selector: optional(3, ref<LabelSelector>(LabelSelector)),
});
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

/** Metric source: the use of a resource by the pods. */
export const ResourceMetricSource = struct('api.autoscaling.v2beta1.ResourceMetricSource', {
  name: required(1, string),
  targetAverageUtilization: optional(2, int32),
  targetAverageValue: optional(3, quantity),
});
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

/** A metric and its target. The member that `type` names must be set. */
export const MetricSpec = struct('api.autoscaling.v2beta1.MetricSpec', {
  type: required(1, oneOf('ContainerResource', 'External', 'Object', 'Pods', 'Resource')),
  object: optional(2, ref<ObjectMetricSource>(ObjectMetricSource)),
  pods: optional(3, ref<PodsMetricSource>(PodsMetricSource)),
  resource: optional(4, ref<ResourceMetricSource>(ResourceMetricSource)),
  containerResource: optional(7, ref<ContainerResourceMetricSource>(ContainerResourceMetricSource)),
  external: optional(5, ref<ExternalMetricSource>(ExternalMetricSource)),
});
export interface MetricSpec extends Infer<typeof MetricSpec> {}

/** Spec of a HorizontalPodAutoscaler: the scaled object, the bounds of the replica count and the metrics. */
export const HorizontalPodAutoscalerSpec = struct('api.autoscaling.v2beta1.HorizontalPodAutoscalerSpec', {
  scaleTargetRef: required(1, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
  minReplicas: optional(2, int32),
  maxReplicas: required(3, int32),
  metrics: value(4, listOf(ref<MetricSpec>(MetricSpec))),
});
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

/** Condition of a HorizontalPodAutoscaler. */
export const HorizontalPodAutoscalerCondition = struct(
  'api.autoscaling.v2beta1.HorizontalPodAutoscalerCondition',
  {
    type: required(1, string),
    status: required(2, wordOf('False', 'True', 'Unknown')),
    lastTransitionTime: value(3, time),
    reason: value(4, string),
    message: value(5, string),
  },
);
export interface HorizontalPodAutoscalerCondition extends Infer<typeof HorizontalPodAutoscalerCondition> {}

/** Current use of a resource by one container of each pod. */
export const ContainerResourceMetricStatus = struct('api.autoscaling.v2beta1.ContainerResourceMetricStatus', {
  name: required(1, string),
  currentAverageUtilization: optional(2, int32),
  currentAverageValue: required(3, quantity),
  container: required(4, string),
});
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

/** Current value of a metric from outside of the cluster. */
export const ExternalMetricStatus = struct('api.autoscaling.v2beta1.ExternalMetricStatus', {
  metricName: required(1, string),
  metricSelector: optional(2, ref<LabelSelector>(LabelSelector)),
  currentValue: required(3, quantity),
  currentAverageValue: optional(4, quantity),
});
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

/** Current value of a metric of a single object. */
export const ObjectMetricStatus = struct('api.autoscaling.v2beta1.ObjectMetricStatus', {
  target: required(1, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
  metricName: required(2, string),
  currentValue: required(3, quantity),
  selector: optional(4, ref<LabelSelector>(LabelSelector)),
  averageValue: optional(5, quantity),
});
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

/** Current average of a metric that every pod has. */
export const PodsMetricStatus = struct('api.autoscaling.v2beta1.PodsMetricStatus', {
  metricName: required(1, string),
  currentAverageValue: required(2, quantity),
  selector: optional(3, ref<LabelSelector>(LabelSelector)),
});
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

/** Current use of a resource by the pods. */
export const ResourceMetricStatus = struct('api.autoscaling.v2beta1.ResourceMetricStatus', {
  name: required(1, string),
  currentAverageUtilization: optional(2, int32),
  currentAverageValue: required(3, quantity),
});
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

/** Current value of one metric. The member that `type` names is set. */
export const MetricStatus = struct('api.autoscaling.v2beta1.MetricStatus', {
  type: required(1, oneOf('ContainerResource', 'External', 'Object', 'Pods', 'Resource')),
  object: optional(2, ref<ObjectMetricStatus>(ObjectMetricStatus)),
  pods: optional(3, ref<PodsMetricStatus>(PodsMetricStatus)),
  resource: optional(4, ref<ResourceMetricStatus>(ResourceMetricStatus)),
  containerResource: optional(7, ref<ContainerResourceMetricStatus>(ContainerResourceMetricStatus)),
  external: optional(5, ref<ExternalMetricStatus>(ExternalMetricStatus)),
});
export interface MetricStatus extends Infer<typeof MetricStatus> {}

/** Status of a HorizontalPodAutoscaler: replica counts, metric values and conditions. */
export const HorizontalPodAutoscalerStatus = struct('api.autoscaling.v2beta1.HorizontalPodAutoscalerStatus', {
  observedGeneration: optional(1, int64),
  lastScaleTime: optional(2, time),
  currentReplicas: required(3, int32),
  desiredReplicas: required(4, int32),
  currentMetrics: required(5, listOf(ref<MetricStatus>(MetricStatus)), { lenient: true }),
  conditions: required(6, listOf(ref<HorizontalPodAutoscalerCondition>(HorizontalPodAutoscalerCondition)), {
    lenient: true,
  }),
});
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

/** Kind HorizontalPodAutoscaler: changes the replica count of a workload to keep metrics at their targets. */
export const HorizontalPodAutoscaler = struct('api.autoscaling.v2beta1.HorizontalPodAutoscaler', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<HorizontalPodAutoscalerSpec>(HorizontalPodAutoscalerSpec)),
  status: value(3, ref<HorizontalPodAutoscalerStatus>(HorizontalPodAutoscalerStatus)),
});
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

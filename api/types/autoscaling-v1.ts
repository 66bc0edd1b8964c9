import {
  type Infer,
  int32,
  int64,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Reference to an object of the same namespace, at any served version of its kind. */
export const CrossVersionObjectReference = struct(
  'api.autoscaling.v1.CrossVersionObjectReference',
  {
    kind: required(1, string),
    name: required(2, string),
    apiVersion: value(3, string),
  },
  { mapType: 'atomic' },
);
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

/**
 * Spec of a HorizontalPodAutoscaler: the scaled object, the bounds of the replica count and the CPU target.
 */
export const HorizontalPodAutoscalerSpec = struct('api.autoscaling.v1.HorizontalPodAutoscalerSpec', {
  scaleTargetRef: required(1, ref<CrossVersionObjectReference>(CrossVersionObjectReference)),
  minReplicas: optional(2, int32),
  maxReplicas: required(3, int32),
  targetCPUUtilizationPercentage: optional(4, int32),
});
export interface HorizontalPodAutoscalerSpec extends Infer<typeof HorizontalPodAutoscalerSpec> {}

/** Status of a HorizontalPodAutoscaler: the current and desired replica counts. */
export const HorizontalPodAutoscalerStatus = struct('api.autoscaling.v1.HorizontalPodAutoscalerStatus', {
  observedGeneration: optional(1, int64),
  lastScaleTime: optional(2, time),
  currentReplicas: required(3, int32),
  desiredReplicas: required(4, int32),
  currentCPUUtilizationPercentage: optional(5, int32),
});
export interface HorizontalPodAutoscalerStatus extends Infer<typeof HorizontalPodAutoscalerStatus> {}

/** Kind HorizontalPodAutoscaler: changes the replica count of a workload to keep metrics at their targets. */
export const HorizontalPodAutoscaler = struct('api.autoscaling.v1.HorizontalPodAutoscaler', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<HorizontalPodAutoscalerSpec>(HorizontalPodAutoscalerSpec)),
  status: value(3, ref<HorizontalPodAutoscalerStatus>(HorizontalPodAutoscalerStatus)),
});
export interface HorizontalPodAutoscaler extends Infer<typeof HorizontalPodAutoscaler> {}

/** Spec of a Scale: the desired replica count. */
export const ScaleSpec = struct('api.autoscaling.v1.ScaleSpec', {
  replicas: value(1, int32),
});
export interface ScaleSpec extends Infer<typeof ScaleSpec> {}

/** Status of a Scale: the actual replica count and the pod selector. */
export const ScaleStatus = struct('api.autoscaling.v1.ScaleStatus', {
  replicas: required(1, int32),
  selector: value(2, string),
});
export interface ScaleStatus extends Infer<typeof ScaleStatus> {}

/** Kind Scale: the replica count of an object of any kind with a scale subresource. */
export const Scale = struct('api.autoscaling.v1.Scale', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ScaleSpec>(ScaleSpec)),
  status: value(3, ref<ScaleStatus>(ScaleStatus)),
});
export interface Scale extends Infer<typeof Scale> {}

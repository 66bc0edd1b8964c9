import {
  type Infer,
  anything,
  boolean,
  int32,
  int64,
  intOrString,
  listOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { PersistentVolumeClaim } from './core-v1-persistent-volume.ts';
import { PodTemplateSpec } from './core-v1-pod.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Kind ControllerRevision: an immutable snapshot of a DaemonSet or StatefulSet at one revision. */
export const ControllerRevision = struct('api.apps.v1.ControllerRevision', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  data: optional(2, anything),
  revision: required(3, int64),
});
export interface ControllerRevision extends Infer<typeof ControllerRevision> {}

/** Limits of a DaemonSet's rolling update. One of the two limits must be above zero. */
export const RollingUpdateDaemonSet = struct('api.apps.v1.RollingUpdateDaemonSet', {
  maxUnavailable: optional(1, intOrString),
  maxSurge: optional(2, intOrString),
});
export interface RollingUpdateDaemonSet extends Infer<typeof RollingUpdateDaemonSet> {}

/** Update strategy of a DaemonSet: rolling updates, or replacement of deleted pods only. */
export const DaemonSetUpdateStrategy = struct('api.apps.v1.DaemonSetUpdateStrategy', {
  type: value(1, oneOf('OnDelete', 'RollingUpdate')),
  rollingUpdate: optional(2, ref<RollingUpdateDaemonSet>(RollingUpdateDaemonSet)),
});
export interface DaemonSetUpdateStrategy extends Infer<typeof DaemonSetUpdateStrategy> {}

/** Spec of a DaemonSet. */
export const DaemonSetSpec = struct('api.apps.v1.DaemonSetSpec', {
  selector: required(1, ref<LabelSelector>(LabelSelector), { nullable: true }),
  template: required(2, ref<PodTemplateSpec>(PodTemplateSpec)),
  updateStrategy: value(3, ref<DaemonSetUpdateStrategy>(DaemonSetUpdateStrategy)),
  minReadySeconds: value(4, int32),
  revisionHistoryLimit: optional(6, int32),
});
export interface DaemonSetSpec extends Infer<typeof DaemonSetSpec> {}

/** Condition of a DaemonSet. Its controller sets none. */
export const DaemonSetCondition = struct('api.apps.v1.DaemonSetCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface DaemonSetCondition extends Infer<typeof DaemonSetCondition> {}

/** Status of a DaemonSet. */
export const DaemonSetStatus = struct('api.apps.v1.DaemonSetStatus', {
  currentNumberScheduled: required(1, int32),
  numberMisscheduled: required(2, int32),
  desiredNumberScheduled: required(3, int32),
  numberReady: required(4, int32),
  observedGeneration: value(5, int64),
  updatedNumberScheduled: value(6, int32),
  numberAvailable: value(7, int32),
  numberUnavailable: value(8, int32),
  collisionCount: optional(9, int32),
  conditions: value(10, listOf(ref<DaemonSetCondition>(DaemonSetCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface DaemonSetStatus extends Infer<typeof DaemonSetStatus> {}

/** Kind DaemonSet: runs one pod on every node that matches the pod template. */
export const DaemonSet = struct('api.apps.v1.DaemonSet', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<DaemonSetSpec>(DaemonSetSpec)),
  status: value(3, ref<DaemonSetStatus>(DaemonSetStatus)),
});
export interface DaemonSet extends Infer<typeof DaemonSet> {}

/** Limits of a Deployment's rolling update. One of the two limits must be above zero. */
export const RollingUpdateDeployment = struct('api.apps.v1.RollingUpdateDeployment', {
  maxUnavailable: optional(1, intOrString),
  maxSurge: optional(2, intOrString),
});
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeployment> {}

/** Update strategy of a Deployment: rolling updates, or deletion of all pods before new pods are created. */
export const DeploymentStrategy = struct('api.apps.v1.DeploymentStrategy', {
  type: value(1, oneOf('Recreate', 'RollingUpdate')),
  rollingUpdate: optional(2, ref<RollingUpdateDeployment>(RollingUpdateDeployment)),
});
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategy> {}

/** Spec of a Deployment. */
export const DeploymentSpec = struct('api.apps.v1.DeploymentSpec', {
  replicas: optional(1, int32),
  selector: required(2, ref<LabelSelector>(LabelSelector), { nullable: true }),
  template: required(3, ref<PodTemplateSpec>(PodTemplateSpec)),
  strategy: value(4, ref<DeploymentStrategy>(DeploymentStrategy), { patchStrategy: ['retainKeys'] }),
  minReadySeconds: value(5, int32),
  revisionHistoryLimit: optional(6, int32),
  paused: value(7, boolean),
  progressDeadlineSeconds: optional(9, int32),
});
export interface DeploymentSpec extends Infer<typeof DeploymentSpec> {}

/** Condition of a Deployment. */
export const DeploymentCondition = struct('api.apps.v1.DeploymentCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastUpdateTime: value(6, time),
  lastTransitionTime: value(7, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface DeploymentCondition extends Infer<typeof DeploymentCondition> {}

/** Status of a Deployment. */
export const DeploymentStatus = struct('api.apps.v1.DeploymentStatus', {
  observedGeneration: value(1, int64),
  replicas: value(2, int32),
  updatedReplicas: value(3, int32),
  readyReplicas: value(7, int32),
  availableReplicas: value(4, int32),
  unavailableReplicas: value(5, int32),
  conditions: value(6, listOf(ref<DeploymentCondition>(DeploymentCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  collisionCount: optional(8, int32),
});
export interface DeploymentStatus extends Infer<typeof DeploymentStatus> {}

/** Kind Deployment: runs a number of equal pods and replaces them step by step when the template changes. */
export const Deployment = struct('api.apps.v1.Deployment', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<DeploymentSpec>(DeploymentSpec)),
  status: value(3, ref<DeploymentStatus>(DeploymentStatus)),
});
export interface Deployment extends Infer<typeof Deployment> {}

/** Spec of a ReplicaSet. */
export const ReplicaSetSpec = struct('api.apps.v1.ReplicaSetSpec', {
  replicas: optional(1, int32),
  minReadySeconds: value(4, int32),
  selector: required(2, ref<LabelSelector>(LabelSelector), { nullable: true }),
  template: value(3, ref<PodTemplateSpec>(PodTemplateSpec)),
});
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

/** Condition of a ReplicaSet. */
export const ReplicaSetCondition = struct('api.apps.v1.ReplicaSetCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}

/** Status of a ReplicaSet. */
export const ReplicaSetStatus = struct('api.apps.v1.ReplicaSetStatus', {
  replicas: required(1, int32),
  fullyLabeledReplicas: value(2, int32),
  readyReplicas: value(4, int32),
  availableReplicas: value(5, int32),
  observedGeneration: value(3, int64),
  conditions: value(6, listOf(ref<ReplicaSetCondition>(ReplicaSetCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface ReplicaSetStatus extends Infer<typeof ReplicaSetStatus> {}

/** Kind ReplicaSet: runs a number of equal pods. It is usually created by a Deployment. */
export const ReplicaSet = struct('api.apps.v1.ReplicaSet', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ReplicaSetSpec>(ReplicaSetSpec)),
  status: value(3, ref<ReplicaSetStatus>(ReplicaSetStatus)),
});
export interface ReplicaSet extends Infer<typeof ReplicaSet> {}

/** Policy for the PersistentVolumeClaims created from a StatefulSet's templates: retained or deleted. */
export const StatefulSetPersistentVolumeClaimRetentionPolicy = struct(
  'api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy',
  {
    whenDeleted: value(1, oneOf('Delete', 'Retain')),
    whenScaled: value(2, oneOf('Delete', 'Retain')),
  },
);
export interface StatefulSetPersistentVolumeClaimRetentionPolicy extends Infer<
  typeof StatefulSetPersistentVolumeClaimRetentionPolicy
> {}

/** Limits of a StatefulSet's rolling update. */
export const RollingUpdateStatefulSetStrategy = struct('api.apps.v1.RollingUpdateStatefulSetStrategy', {
  partition: optional(1, int32),
  maxUnavailable: optional(2, intOrString),
});
export interface RollingUpdateStatefulSetStrategy extends Infer<typeof RollingUpdateStatefulSetStrategy> {}

/** Update strategy of a StatefulSet: rolling updates, or replacement of deleted pods only. */
export const StatefulSetUpdateStrategy = struct('api.apps.v1.StatefulSetUpdateStrategy', {
  type: value(1, oneOf('OnDelete', 'RollingUpdate')),
  rollingUpdate: optional(2, ref<RollingUpdateStatefulSetStrategy>(RollingUpdateStatefulSetStrategy)),
});
export interface StatefulSetUpdateStrategy extends Infer<typeof StatefulSetUpdateStrategy> {}

/** Spec of a StatefulSet. */
export const StatefulSetSpec = struct('api.apps.v1.StatefulSetSpec', {
  replicas: optional(1, int32),
  selector: required(2, ref<LabelSelector>(LabelSelector), { nullable: true }),
  template: required(3, ref<PodTemplateSpec>(PodTemplateSpec)),
  volumeClaimTemplates: value(4, listOf(ref<PersistentVolumeClaim>(PersistentVolumeClaim))),
  serviceName: required(5, string),
  podManagementPolicy: value(6, oneOf('OrderedReady', 'Parallel')),
  updateStrategy: value(7, ref<StatefulSetUpdateStrategy>(StatefulSetUpdateStrategy)),
  revisionHistoryLimit: optional(8, int32),
  minReadySeconds: value(9, int32),
  persistentVolumeClaimRetentionPolicy: optional(
    10,
    ref<StatefulSetPersistentVolumeClaimRetentionPolicy>(StatefulSetPersistentVolumeClaimRetentionPolicy),
  ),
});
export interface StatefulSetSpec extends Infer<typeof StatefulSetSpec> {}

/** Condition of a StatefulSet. Its controller sets none. */
export const StatefulSetCondition = struct('api.apps.v1.StatefulSetCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface StatefulSetCondition extends Infer<typeof StatefulSetCondition> {}

/** Status of a StatefulSet. */
export const StatefulSetStatus = struct('api.apps.v1.StatefulSetStatus', {
  observedGeneration: value(1, int64),
  replicas: required(2, int32),
  readyReplicas: value(3, int32),
  currentReplicas: value(4, int32),
  updatedReplicas: value(5, int32),
  currentRevision: value(6, string),
  updateRevision: value(7, string),
  collisionCount: optional(9, int32),
  conditions: value(10, listOf(ref<StatefulSetCondition>(StatefulSetCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  availableReplicas: required(11, int32, { lenient: true }),
});
export interface StatefulSetStatus extends Infer<typeof StatefulSetStatus> {}

/** Kind StatefulSet: runs pods with stable names and volumes, in a fixed order. */
export const StatefulSet = struct('api.apps.v1.StatefulSet', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<StatefulSetSpec>(StatefulSetSpec)),
  status: value(3, ref<StatefulSetStatus>(StatefulSetStatus)),
});
export interface StatefulSet extends Infer<typeof StatefulSet> {}

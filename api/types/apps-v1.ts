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

/** A snapshot of the state that a DaemonSet or StatefulSet had at one revision; its data is immutable. */
export const ControllerRevision = struct('api.apps.v1.ControllerRevision', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  data: optional(2, anything),
  revision: required(3, int64),
});
export interface ControllerRevision extends Infer<typeof ControllerRevision> {}

/** Pace of a DaemonSet's rolling update; one of the two limits must be above zero. */
export const RollingUpdateDaemonSet = struct('api.apps.v1.RollingUpdateDaemonSet', {
  maxUnavailable: optional(1, intOrString),
  maxSurge: optional(2, intOrString),
});
export interface RollingUpdateDaemonSet extends Infer<typeof RollingUpdateDaemonSet> {}

/** Replacement of a DaemonSet's pods after a change. */
export const DaemonSetUpdateStrategy = struct('api.apps.v1.DaemonSetUpdateStrategy', {
  type: value(1, oneOf('OnDelete', 'RollingUpdate')),
  rollingUpdate: optional(2, ref<RollingUpdateDaemonSet>(RollingUpdateDaemonSet)),
});
export interface DaemonSetUpdateStrategy extends Infer<typeof DaemonSetUpdateStrategy> {}

/** Desired state of a DaemonSet. */
export const DaemonSetSpec = struct('api.apps.v1.DaemonSetSpec', {
  selector: required(1, ref<LabelSelector>(LabelSelector), { nullable: true }),
  template: required(2, ref<PodTemplateSpec>(PodTemplateSpec)),
  updateStrategy: value(3, ref<DaemonSetUpdateStrategy>(DaemonSetUpdateStrategy)),
  minReadySeconds: value(4, int32),
  revisionHistoryLimit: optional(6, int32),
});
export interface DaemonSetSpec extends Infer<typeof DaemonSetSpec> {}

/** One aspect of a DaemonSet's state; its controller sets none so far. */
export const DaemonSetCondition = struct('api.apps.v1.DaemonSetCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface DaemonSetCondition extends Infer<typeof DaemonSetCondition> {}

/** Last observed state of the set. */
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

/** Runs a copy of a pod on every node that its template fits. */
export const DaemonSet = struct('api.apps.v1.DaemonSet', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<DaemonSetSpec>(DaemonSetSpec)),
  status: value(3, ref<DaemonSetStatus>(DaemonSetStatus)),
});
export interface DaemonSet extends Infer<typeof DaemonSet> {}

/** Pace of a Deployment's rolling update; one of the two limits must be above zero. */
export const RollingUpdateDeployment = struct('api.apps.v1.RollingUpdateDeployment', {
  maxUnavailable: optional(1, intOrString),
  maxSurge: optional(2, intOrString),
});
export interface RollingUpdateDeployment extends Infer<typeof RollingUpdateDeployment> {}

/** Replacement of a Deployment's pods after a change. */
export const DeploymentStrategy = struct('api.apps.v1.DeploymentStrategy', {
  type: value(1, oneOf('Recreate', 'RollingUpdate')),
  rollingUpdate: optional(2, ref<RollingUpdateDeployment>(RollingUpdateDeployment)),
});
export interface DeploymentStrategy extends Infer<typeof DeploymentStrategy> {}

/** Desired state of a Deployment. */
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

/** One aspect of a Deployment's state. */
export const DeploymentCondition = struct('api.apps.v1.DeploymentCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastUpdateTime: value(6, time),
  lastTransitionTime: value(7, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface DeploymentCondition extends Infer<typeof DeploymentCondition> {}

/** Last observed state of the Deployment. */
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

/** Keeps a number of equal pods running and moves them to a new template step by step. */
export const Deployment = struct('api.apps.v1.Deployment', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<DeploymentSpec>(DeploymentSpec)),
  status: value(3, ref<DeploymentStatus>(DeploymentStatus)),
});
export interface Deployment extends Infer<typeof Deployment> {}

/** Desired state of a ReplicaSet. */
export const ReplicaSetSpec = struct('api.apps.v1.ReplicaSetSpec', {
  replicas: optional(1, int32),
  minReadySeconds: value(4, int32),
  selector: required(2, ref<LabelSelector>(LabelSelector), { nullable: true }),
  template: value(3, ref<PodTemplateSpec>(PodTemplateSpec)),
});
export interface ReplicaSetSpec extends Infer<typeof ReplicaSetSpec> {}

/** One aspect of a ReplicaSet's state. */
export const ReplicaSetCondition = struct('api.apps.v1.ReplicaSetCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface ReplicaSetCondition extends Infer<typeof ReplicaSetCondition> {}

/** Last observed state of the set. */
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

/** Keeps a number of equal pods running; usually made by a Deployment. */
export const ReplicaSet = struct('api.apps.v1.ReplicaSet', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ReplicaSetSpec>(ReplicaSetSpec)),
  status: value(3, ref<ReplicaSetStatus>(ReplicaSetStatus)),
});
export interface ReplicaSet extends Infer<typeof ReplicaSet> {}

/** Treatment of the claims made from the set's templates. */
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

/** Pace of a StatefulSet's rolling update. */
export const RollingUpdateStatefulSetStrategy = struct('api.apps.v1.RollingUpdateStatefulSetStrategy', {
  partition: optional(1, int32),
  maxUnavailable: optional(2, intOrString),
});
export interface RollingUpdateStatefulSetStrategy extends Infer<typeof RollingUpdateStatefulSetStrategy> {}

/** Replacement of a StatefulSet's pods after a change. */
export const StatefulSetUpdateStrategy = struct('api.apps.v1.StatefulSetUpdateStrategy', {
  type: value(1, oneOf('OnDelete', 'RollingUpdate')),
  rollingUpdate: optional(2, ref<RollingUpdateStatefulSetStrategy>(RollingUpdateStatefulSetStrategy)),
});
export interface StatefulSetUpdateStrategy extends Infer<typeof StatefulSetUpdateStrategy> {}

/** Desired state of a StatefulSet. */
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

/** One aspect of a StatefulSet's state; its controller sets none so far. */
export const StatefulSetCondition = struct('api.apps.v1.StatefulSetCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface StatefulSetCondition extends Infer<typeof StatefulSetCondition> {}

/** Last observed state of the set. */
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

/** Runs pods with stable names, an order and dedicated volumes. */
export const StatefulSet = struct('api.apps.v1.StatefulSet', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<StatefulSetSpec>(StatefulSetSpec)),
  status: value(3, ref<StatefulSetStatus>(StatefulSetStatus)),
});
export interface StatefulSet extends Infer<typeof StatefulSet> {}

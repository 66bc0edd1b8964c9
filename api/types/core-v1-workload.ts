import {
  type Infer,
  int32,
  int64,
  listOf,
  mapOf,
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
import { ObjectReference } from './core-v1.ts';
import { PodTemplateSpec } from './core-v1-pod.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Reference to a Secret in any namespace. */
export const SecretReference = struct(
  'api.core.v1.SecretReference',
  {
    name: value(1, string),
    namespace: value(2, string),
  },
  { mapType: 'atomic' },
);
export interface SecretReference extends Infer<typeof SecretReference> {}

/** Spec of a ReplicationController. */
export const ReplicationControllerSpec = struct('api.core.v1.ReplicationControllerSpec', {
  replicas: optional(1, int32),
  minReadySeconds: value(4, int32),
  selector: value(2, mapOf(string), { mapType: 'atomic' }),
  template: optional(3, ref<PodTemplateSpec>(PodTemplateSpec)),
});
export interface ReplicationControllerSpec extends Infer<typeof ReplicationControllerSpec> {}

/** Condition of a ReplicationController. */
export const ReplicationControllerCondition = struct('api.core.v1.ReplicationControllerCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface ReplicationControllerCondition extends Infer<typeof ReplicationControllerCondition> {}

/** Status of a ReplicationController. */
export const ReplicationControllerStatus = struct('api.core.v1.ReplicationControllerStatus', {
  replicas: required(1, int32),
  fullyLabeledReplicas: value(2, int32),
  readyReplicas: value(4, int32),
  availableReplicas: value(5, int32),
  observedGeneration: value(3, int64),
  conditions: value(6, listOf(ref<ReplicationControllerCondition>(ReplicationControllerCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface ReplicationControllerStatus extends Infer<typeof ReplicationControllerStatus> {}

/** Kind ReplicationController: runs a number of equal pods. Deployments supersede it. */
export const ReplicationController = struct('api.core.v1.ReplicationController', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ReplicationControllerSpec>(ReplicationControllerSpec)),
  status: value(3, ref<ReplicationControllerStatus>(ReplicationControllerStatus)),
});
export interface ReplicationController extends Infer<typeof ReplicationController> {}

/** Kind PodTemplate: a stored template of pods. */
export const PodTemplate = struct('api.core.v1.PodTemplate', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  template: value(2, ref<PodTemplateSpec>(PodTemplateSpec)),
});
export interface PodTemplate extends Infer<typeof PodTemplate> {}

/** Kind Binding: a request of the scheduler that assigns a pod to a node. */
export const Binding = struct('api.core.v1.Binding', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  target: required(2, ref<ObjectReference>(ObjectReference)),
});
export interface Binding extends Infer<typeof Binding> {}

/** Condition of a ComponentStatus. */
export const ComponentCondition = struct('api.core.v1.ComponentCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  message: value(3, string),
  error: value(4, string),
});
export interface ComponentCondition extends Infer<typeof ComponentCondition> {}

/** Deprecated kind ComponentStatus: the health of a control-plane component. */
export const ComponentStatus = struct('api.core.v1.ComponentStatus', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  conditions: value(2, listOf(ref<ComponentCondition>(ComponentCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface ComponentStatus extends Infer<typeof ComponentStatus> {}

/** Allowed values of one node label. */
export const TopologySelectorLabelRequirement = struct('api.core.v1.TopologySelectorLabelRequirement', {
  key: required(1, string),
  values: required(2, listOf(string)),
});
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirement> {}

/** Requirements on node labels. A node must meet all of them. */
export const TopologySelectorTerm = struct(
  'api.core.v1.TopologySelectorTerm',
  {
    matchLabelExpressions: value(
      1,
      listOf(ref<TopologySelectorLabelRequirement>(TopologySelectorLabelRequirement)),
    ),
  },
  { mapType: 'atomic' },
);
export interface TopologySelectorTerm extends Infer<typeof TopologySelectorTerm> {}

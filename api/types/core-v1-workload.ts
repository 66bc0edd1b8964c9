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

export const SecretReference = struct(
  'api.core.v1.SecretReference',
  {
    name: value(1, string),
    namespace: value(2, string),
  },
  { mapType: 'atomic' },
);
export interface SecretReference extends Infer<typeof SecretReference> {}

export const ReplicationControllerSpec = struct('api.core.v1.ReplicationControllerSpec', {
  replicas: optional(1, int32),
  minReadySeconds: value(4, int32),
  selector: value(2, mapOf(string), { mapType: 'atomic' }),
  template: optional(3, ref<PodTemplateSpec>(PodTemplateSpec)),
});
export interface ReplicationControllerSpec extends Infer<typeof ReplicationControllerSpec> {}

export const ReplicationControllerCondition = struct('api.core.v1.ReplicationControllerCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface ReplicationControllerCondition extends Infer<typeof ReplicationControllerCondition> {}

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

export const ReplicationController = struct('api.core.v1.ReplicationController', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ReplicationControllerSpec>(ReplicationControllerSpec)),
  status: value(3, ref<ReplicationControllerStatus>(ReplicationControllerStatus)),
});
export interface ReplicationController extends Infer<typeof ReplicationController> {}

export const PodTemplate = struct('api.core.v1.PodTemplate', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  template: value(2, ref<PodTemplateSpec>(PodTemplateSpec)),
});
export interface PodTemplate extends Infer<typeof PodTemplate> {}

export const Binding = struct('api.core.v1.Binding', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  target: required(2, ref<ObjectReference>(ObjectReference)),
});
export interface Binding extends Infer<typeof Binding> {}

export const ComponentCondition = struct('api.core.v1.ComponentCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  message: value(3, string),
  error: value(4, string),
});
export interface ComponentCondition extends Infer<typeof ComponentCondition> {}

export const ComponentStatus = struct('api.core.v1.ComponentStatus', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  conditions: value(2, listOf(ref<ComponentCondition>(ComponentCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface ComponentStatus extends Infer<typeof ComponentStatus> {}

export const TopologySelectorLabelRequirement = struct('api.core.v1.TopologySelectorLabelRequirement', {
  key: required(1, string),
  values: required(2, listOf(string)),
});
export interface TopologySelectorLabelRequirement extends Infer<typeof TopologySelectorLabelRequirement> {}

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

import {
  type Infer,
  listOf,
  mapOf,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { Toleration } from './core-v1-pod.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Resources that a pod of a RuntimeClass needs in addition to those of its containers. */
export const Overhead = struct('api.node.v1.Overhead', {
  podFixed: value(1, mapOf(quantity)),
});
export interface Overhead extends Infer<typeof Overhead> {}

/** Selector and tolerations for the nodes on which pods of a RuntimeClass can run. */
export const Scheduling = struct('api.node.v1.Scheduling', {
  nodeSelector: value(1, mapOf(string), { mapType: 'atomic' }),
  tolerations: value(2, listOf(ref<Toleration>(Toleration)), { listType: 'atomic' }),
});
export interface Scheduling extends Infer<typeof Scheduling> {}

/** Kind RuntimeClass: a container runtime configuration that pods can select. */
export const RuntimeClass = struct('api.node.v1.RuntimeClass', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  handler: required(2, string),
  overhead: optional(3, ref<Overhead>(Overhead)),
  scheduling: optional(4, ref<Scheduling>(Scheduling)),
});
export interface RuntimeClass extends Infer<typeof RuntimeClass> {}

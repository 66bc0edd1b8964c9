import {
  type Infer,
  boolean,
  int32,
  listOf,
  mapOf,
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
import { ContainerImage } from './core-v1-container.ts';
import { AttachedVolume } from './core-v1-volume.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Deprecated: reference to a ConfigMap with the configuration of the kubelet. */
export const ConfigMapNodeConfigSource = struct('api.core.v1.ConfigMapNodeConfigSource', {
  namespace: required(1, string),
  name: required(2, string),
  uid: value(3, string),
  resourceVersion: value(4, string),
  kubeletConfigKey: required(5, string),
});
export interface ConfigMapNodeConfigSource extends Infer<typeof ConfigMapNodeConfigSource> {}

/** Deprecated: source of the kubelet's configuration, which can only be a ConfigMap. */
export const NodeConfigSource = struct('api.core.v1.NodeConfigSource', {
  configMap: optional(2, ref<ConfigMapNodeConfigSource>(ConfigMapNodeConfigSource)),
});
export interface NodeConfigSource extends Infer<typeof NodeConfigSource> {}

/** A taint of a node, which repels pods that do not tolerate it. */
export const Taint = struct('api.core.v1.Taint', {
  key: required(1, string),
  value: value(2, string),
  effect: required(3, oneOf('NoExecute', 'NoSchedule', 'PreferNoSchedule')),
  timeAdded: optional(4, time),
});
export interface Taint extends Infer<typeof Taint> {}

/** Spec of a Node. */
export const NodeSpec = struct('api.core.v1.NodeSpec', {
  podCIDR: value(1, string),
  podCIDRs: value(7, listOf(string), { patchStrategy: ['merge'] }),
  providerID: value(3, string),
  unschedulable: value(4, boolean),
  taints: value(5, listOf(ref<Taint>(Taint))),
  configSource: optional(6, ref<NodeConfigSource>(NodeConfigSource)),
  externalID: value(2, string),
});
export interface NodeSpec extends Infer<typeof NodeSpec> {}

/** An address of a node. */
export const NodeAddress = struct('api.core.v1.NodeAddress', {
  type: required(1, string),
  address: required(2, string),
});
export interface NodeAddress extends Infer<typeof NodeAddress> {}

/** Condition of a Node. */
export const NodeCondition = struct('api.core.v1.NodeCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastHeartbeatTime: value(3, time),
  lastTransitionTime: value(4, time),
  reason: value(5, string),
  message: value(6, string),
});
export interface NodeCondition extends Infer<typeof NodeCondition> {}

/** Deprecated: status of the kubelet's dynamic configuration. */
export const NodeConfigStatus = struct('api.core.v1.NodeConfigStatus', {
  assigned: optional(1, ref<NodeConfigSource>(NodeConfigSource)),
  active: optional(2, ref<NodeConfigSource>(NodeConfigSource)),
  lastKnownGood: optional(3, ref<NodeConfigSource>(NodeConfigSource)),
  error: value(4, string),
});
export interface NodeConfigStatus extends Infer<typeof NodeConfigStatus> {}

/** A port on which a daemon of the node listens. */
export const DaemonEndpoint = struct('api.core.v1.DaemonEndpoint', {
  Port: required(1, int32),
});
export interface DaemonEndpoint extends Infer<typeof DaemonEndpoint> {}

/** Ports on which the daemons of a node listen. */
export const NodeDaemonEndpoints = struct('api.core.v1.NodeDaemonEndpoints', {
  kubeletEndpoint: value(1, ref<DaemonEndpoint>(DaemonEndpoint)),
});
export interface NodeDaemonEndpoints extends Infer<typeof NodeDaemonEndpoints> {}

/** Identity and software versions of a node. */
export const NodeSystemInfo = struct('api.core.v1.NodeSystemInfo', {
  machineID: required(1, string),
  systemUUID: required(2, string),
  bootID: required(3, string),
  kernelVersion: required(4, string),
  osImage: required(5, string),
  containerRuntimeVersion: required(6, string),
  kubeletVersion: required(7, string),
  kubeProxyVersion: required(8, string),
  operatingSystem: required(9, string),
  architecture: required(10, string),
});
export interface NodeSystemInfo extends Infer<typeof NodeSystemInfo> {}

/** Status of a Node, as its kubelet reports it. */
export const NodeStatus = struct('api.core.v1.NodeStatus', {
  capacity: value(1, mapOf(quantity)),
  allocatable: value(2, mapOf(quantity)),
  phase: value(3, oneOf('Pending', 'Running', 'Terminated')),
  conditions: value(4, listOf(ref<NodeCondition>(NodeCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  addresses: value(5, listOf(ref<NodeAddress>(NodeAddress)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  daemonEndpoints: value(6, ref<NodeDaemonEndpoints>(NodeDaemonEndpoints)),
  nodeInfo: value(7, ref<NodeSystemInfo>(NodeSystemInfo)),
  images: value(8, listOf(ref<ContainerImage>(ContainerImage))),
  volumesInUse: value(9, listOf(string)),
  volumesAttached: value(10, listOf(ref<AttachedVolume>(AttachedVolume))),
  config: optional(11, ref<NodeConfigStatus>(NodeConfigStatus)),
});
export interface NodeStatus extends Infer<typeof NodeStatus> {}

/** Kind Node: a machine on which pods run. */
export const Node = struct('api.core.v1.Node', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<NodeSpec>(NodeSpec)),
  status: value(3, ref<NodeStatus>(NodeStatus)),
});
export interface Node extends Infer<typeof Node> {}

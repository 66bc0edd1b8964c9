import {
  type Infer,
  boolean,
  int32,
  int64,
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
import {
  Container,
  ContainerStatus,
  EphemeralContainer,
  SELinuxOptions,
  SeccompProfile,
  WindowsSecurityContextOptions,
} from './core-v1-container.ts';
import { LocalObjectReference } from './core-v1-shared.ts';
import { Volume } from './core-v1-volume.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** A requirement on a label or field of a node. */
export const NodeSelectorRequirement = struct('api.core.v1.NodeSelectorRequirement', {
  key: required(1, string),
  operator: required(2, oneOf('DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn')),
  values: value(3, listOf(string)),
});
export interface NodeSelectorRequirement extends Infer<typeof NodeSelectorRequirement> {}

/** Requirements of which a node must meet all. An empty term matches no node. */
export const NodeSelectorTerm = struct(
  'api.core.v1.NodeSelectorTerm',
  {
    matchExpressions: value(1, listOf(ref<NodeSelectorRequirement>(NodeSelectorRequirement))),
    matchFields: value(2, listOf(ref<NodeSelectorRequirement>(NodeSelectorRequirement))),
  },
  { mapType: 'atomic' },
);
export interface NodeSelectorTerm extends Infer<typeof NodeSelectorTerm> {}

/** Selector of nodes. A node must match at least one of the terms. */
export const NodeSelector = struct(
  'api.core.v1.NodeSelector',
  {
    nodeSelectorTerms: required(1, listOf(ref<NodeSelectorTerm>(NodeSelectorTerm))),
  },
  { mapType: 'atomic' },
);
export interface NodeSelector extends Infer<typeof NodeSelector> {}

/** A preference for nodes, and its weight. */
export const PreferredSchedulingTerm = struct('api.core.v1.PreferredSchedulingTerm', {
  weight: required(1, int32),
  preference: required(2, ref<NodeSelectorTerm>(NodeSelectorTerm)),
});
export interface PreferredSchedulingTerm extends Infer<typeof PreferredSchedulingTerm> {}

/** Required and preferred nodes of a pod. */
export const NodeAffinity = struct('api.core.v1.NodeAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: optional(1, ref<NodeSelector>(NodeSelector)),
  preferredDuringSchedulingIgnoredDuringExecution: value(
    2,
    listOf(ref<PreferredSchedulingTerm>(PreferredSchedulingTerm)),
  ),
});
export interface NodeAffinity extends Infer<typeof NodeAffinity> {}

/** Selector of other pods, and the node label that defines which nodes count as one place. */
export const PodAffinityTerm = struct('api.core.v1.PodAffinityTerm', {
  labelSelector: optional(1, ref<LabelSelector>(LabelSelector)),
  namespaces: value(2, listOf(string)),
  topologyKey: required(3, string),
  namespaceSelector: optional(4, ref<LabelSelector>(LabelSelector)),
});
export interface PodAffinityTerm extends Infer<typeof PodAffinityTerm> {}

/** A pod affinity term and its weight. */
export const WeightedPodAffinityTerm = struct('api.core.v1.WeightedPodAffinityTerm', {
  weight: required(1, int32),
  podAffinityTerm: required(2, ref<PodAffinityTerm>(PodAffinityTerm)),
});
export interface WeightedPodAffinityTerm extends Infer<typeof WeightedPodAffinityTerm> {}

/** Required and preferred pods near which a pod is scheduled. */
export const PodAffinity = struct('api.core.v1.PodAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: value(1, listOf(ref<PodAffinityTerm>(PodAffinityTerm))),
  preferredDuringSchedulingIgnoredDuringExecution: value(
    2,
    listOf(ref<WeightedPodAffinityTerm>(WeightedPodAffinityTerm)),
  ),
});
export interface PodAffinity extends Infer<typeof PodAffinity> {}

/** Required and preferred pods away from which a pod is scheduled. */
export const PodAntiAffinity = struct('api.core.v1.PodAntiAffinity', {
  requiredDuringSchedulingIgnoredDuringExecution: value(1, listOf(ref<PodAffinityTerm>(PodAffinityTerm))),
  preferredDuringSchedulingIgnoredDuringExecution: value(
    2,
    listOf(ref<WeightedPodAffinityTerm>(WeightedPodAffinityTerm)),
  ),
});
export interface PodAntiAffinity extends Infer<typeof PodAntiAffinity> {}

/** Scheduling constraints of a pod relative to nodes and to other pods. */
export const Affinity = struct('api.core.v1.Affinity', {
  nodeAffinity: optional(1, ref<NodeAffinity>(NodeAffinity)),
  podAffinity: optional(2, ref<PodAffinity>(PodAffinity)),
  podAntiAffinity: optional(3, ref<PodAntiAffinity>(PodAntiAffinity)),
});
export interface Affinity extends Infer<typeof Affinity> {}

/** An entry in the `/etc/hosts` file of a pod. */
export const HostAlias = struct('api.core.v1.HostAlias', {
  ip: value(1, string),
  hostnames: value(2, listOf(string)),
});
export interface HostAlias extends Infer<typeof HostAlias> {}

/** An option in the `resolv.conf` file of a pod. */
export const PodDNSConfigOption = struct('api.core.v1.PodDNSConfigOption', {
  name: value(1, string),
  value: optional(2, string),
});
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOption> {}

/** DNS settings of a pod, which are added to the settings of its DNS policy. */
export const PodDNSConfig = struct('api.core.v1.PodDNSConfig', {
  nameservers: value(1, listOf(string)),
  searches: value(2, listOf(string)),
  options: value(3, listOf(ref<PodDNSConfigOption>(PodDNSConfigOption))),
});
export interface PodDNSConfig extends Infer<typeof PodDNSConfig> {}

/** Operating system that a pod requires. */
export const PodOS = struct('api.core.v1.PodOS', {
  name: required(1, wordOf('linux', 'windows')),
});
export interface PodOS extends Infer<typeof PodOS> {}

/** Type of a condition that must be true for a pod to be ready. */
export const PodReadinessGate = struct('api.core.v1.PodReadinessGate', {
  conditionType: required(1, string),
});
export interface PodReadinessGate extends Infer<typeof PodReadinessGate> {}

/** A kernel parameter and its value. */
export const Sysctl = struct('api.core.v1.Sysctl', {
  name: required(1, string),
  value: required(2, string),
});
export interface Sysctl extends Infer<typeof Sysctl> {}

/** Security settings of all containers of a pod. The settings of a container override them. */
export const PodSecurityContext = struct('api.core.v1.PodSecurityContext', {
  seLinuxOptions: optional(1, ref<SELinuxOptions>(SELinuxOptions)),
  windowsOptions: optional(8, ref<WindowsSecurityContextOptions>(WindowsSecurityContextOptions)),
  runAsUser: optional(2, int64),
  runAsGroup: optional(6, int64),
  runAsNonRoot: optional(3, boolean),
  supplementalGroups: value(4, listOf(int64)),
  fsGroup: optional(5, int64),
  sysctls: value(7, listOf(ref<Sysctl>(Sysctl))),
  fsGroupChangePolicy: optional(9, oneOf('Always', 'OnRootMismatch')),
  seccompProfile: optional(10, ref<SeccompProfile>(SeccompProfile)),
});
export interface PodSecurityContext extends Infer<typeof PodSecurityContext> {}

/** Toleration of taints, which allows a pod on nodes with matching taints. */
export const Toleration = struct('api.core.v1.Toleration', {
  key: value(1, string),
  operator: value(2, oneOf('Equal', 'Exists')),
  value: value(3, string),
  effect: value(4, oneOf('NoExecute', 'NoSchedule', 'PreferNoSchedule')),
  tolerationSeconds: optional(5, int64),
});
export interface Toleration extends Infer<typeof Toleration> {}

/** Constraint on the distribution of pods over parts of the cluster. */
export const TopologySpreadConstraint = struct('api.core.v1.TopologySpreadConstraint', {
  maxSkew: required(1, int32),
  topologyKey: required(2, string),
  whenUnsatisfiable: required(3, oneOf('DoNotSchedule', 'ScheduleAnyway')),
  labelSelector: optional(4, ref<LabelSelector>(LabelSelector)),
  minDomains: optional(5, int32),
});
export interface TopologySpreadConstraint extends Infer<typeof TopologySpreadConstraint> {}

/** Spec of a Pod. */
export const PodSpec = struct('api.core.v1.PodSpec', {
  volumes: value(1, listOf(ref<Volume>(Volume)), {
    patchStrategy: ['merge', 'retainKeys'],
    patchMergeKey: 'name',
  }),
  initContainers: value(20, listOf(ref<Container>(Container)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
  }),
  containers: required(2, listOf(ref<Container>(Container)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
  }),
  ephemeralContainers: value(34, listOf(ref<EphemeralContainer>(EphemeralContainer)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
  }),
  restartPolicy: value(3, oneOf('Always', 'Never', 'OnFailure')),
  terminationGracePeriodSeconds: optional(4, int64),
  activeDeadlineSeconds: optional(5, int64),
  dnsPolicy: value(6, oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None')),
  nodeSelector: value(7, mapOf(string), { mapType: 'atomic' }),
  serviceAccountName: value(8, string),
  serviceAccount: value(9, string),
  automountServiceAccountToken: optional(21, boolean),
  nodeName: value(10, string),
  hostNetwork: value(11, boolean),
  hostPID: value(12, boolean),
  hostIPC: value(13, boolean),
  shareProcessNamespace: optional(27, boolean),
  securityContext: optional(14, ref<PodSecurityContext>(PodSecurityContext)),
  imagePullSecrets: value(15, listOf(ref<LocalObjectReference>(LocalObjectReference)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'name',
  }),
  hostname: value(16, string),
  subdomain: value(17, string),
  affinity: optional(18, ref<Affinity>(Affinity)),
  schedulerName: value(19, string),
  tolerations: value(22, listOf(ref<Toleration>(Toleration))),
  hostAliases: value(23, listOf(ref<HostAlias>(HostAlias)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'ip',
  }),
  priorityClassName: value(24, string),
  priority: optional(25, int32),
  dnsConfig: optional(26, ref<PodDNSConfig>(PodDNSConfig)),
  readinessGates: value(28, listOf(ref<PodReadinessGate>(PodReadinessGate))),
  runtimeClassName: optional(29, string),
  enableServiceLinks: optional(30, boolean),
  preemptionPolicy: optional(31, oneOf('Never', 'PreemptLowerPriority')),
  overhead: value(32, mapOf(quantity)),
  topologySpreadConstraints: value(33, listOf(ref<TopologySpreadConstraint>(TopologySpreadConstraint)), {
    listType: 'map',
    listMapKeys: ['topologyKey', 'whenUnsatisfiable'],
    patchStrategy: ['merge'],
    patchMergeKey: 'topologyKey',
  }),
  setHostnameAsFQDN: optional(35, boolean),
  os: optional(36, ref<PodOS>(PodOS)),
});
export interface PodSpec extends Infer<typeof PodSpec> {}

/** Condition of a Pod. */
export const PodCondition = struct('api.core.v1.PodCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastProbeTime: value(3, time),
  lastTransitionTime: value(4, time),
  reason: value(5, string),
  message: value(6, string),
});
export interface PodCondition extends Infer<typeof PodCondition> {}

/** An IP address of a pod. */
export const PodIP = struct('api.core.v1.PodIP', {
  ip: value(1, string),
});
export interface PodIP extends Infer<typeof PodIP> {}

/** Status of a Pod, as its kubelet last reported it. */
export const PodStatus = struct('api.core.v1.PodStatus', {
  phase: value(1, oneOf('Failed', 'Pending', 'Running', 'Succeeded', 'Unknown')),
  conditions: value(2, listOf(ref<PodCondition>(PodCondition)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  message: value(3, string),
  reason: value(4, string),
  nominatedNodeName: value(11, string),
  hostIP: value(5, string),
  podIP: value(6, string),
  podIPs: value(12, listOf(ref<PodIP>(PodIP)), { patchStrategy: ['merge'], patchMergeKey: 'ip' }),
  startTime: optional(7, time),
  initContainerStatuses: value(10, listOf(ref<ContainerStatus>(ContainerStatus))),
  containerStatuses: value(8, listOf(ref<ContainerStatus>(ContainerStatus))),
  qosClass: value(9, oneOf('BestEffort', 'Burstable', 'Guaranteed')),
  ephemeralContainerStatuses: value(13, listOf(ref<ContainerStatus>(ContainerStatus))),
});
export interface PodStatus extends Infer<typeof PodStatus> {}

/** Kind Pod: a group of containers that run together on one node and share network and volumes. */
export const Pod = struct('api.core.v1.Pod', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PodSpec>(PodSpec)),
  status: value(3, ref<PodStatus>(PodStatus)),
});
export interface Pod extends Infer<typeof Pod> {}

/** Metadata and spec of the pods that a controller creates. */
export const PodTemplateSpec = struct('api.core.v1.PodTemplateSpec', {
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PodSpec>(PodSpec)),
});
export interface PodTemplateSpec extends Infer<typeof PodTemplateSpec> {}

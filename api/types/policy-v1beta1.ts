import { atVersion } from '../schema/at-version.ts';
import {
  type Infer,
  boolean,
  int32,
  int64,
  intOrString,
  listOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { SELinuxOptions } from './core-v1-container.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';
import * as stable from './policy-v1.ts';

const types = atVersion('v1beta1', {
  PodDisruptionBudgetStatus: stable.PodDisruptionBudgetStatus,
  Eviction: stable.Eviction,
});

/** Kind Eviction: a request to delete a pod if its PodDisruptionBudgets allow it. */
export const Eviction = types.Eviction;
export type Eviction = stable.Eviction;

/** Spec of a PodDisruptionBudget: either `minAvailable` or `maxUnavailable`, and the selected pods. */
export const PodDisruptionBudgetSpec = struct('api.policy.v1beta1.PodDisruptionBudgetSpec', {
  minAvailable: optional(1, intOrString),
  selector: optional(2, ref<LabelSelector>(LabelSelector)),
  maxUnavailable: optional(3, intOrString),
});
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

/** Kind PodDisruptionBudget: limits the number of pods that are evicted at the same time. */
export const PodDisruptionBudget = struct('api.policy.v1beta1.PodDisruptionBudget', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PodDisruptionBudgetSpec>(PodDisruptionBudgetSpec)),
  status: value(3, ref<stable.PodDisruptionBudgetStatus>(types.PodDisruptionBudgetStatus)),
});
export interface PodDisruptionBudget extends Infer<typeof PodDisruptionBudget> {}

/** A CSI driver that pods may use for inline volumes. */
export const AllowedCSIDriver = struct('api.policy.v1beta1.AllowedCSIDriver', {
  name: required(1, string),
});
export interface AllowedCSIDriver extends Infer<typeof AllowedCSIDriver> {}

/** A FlexVolume driver that pods may use. */
export const AllowedFlexVolume = struct('api.policy.v1beta1.AllowedFlexVolume', {
  driver: required(1, string),
});
export interface AllowedFlexVolume extends Infer<typeof AllowedFlexVolume> {}

/** Paths of the node that pods may mount. */
export const AllowedHostPath = struct('api.policy.v1beta1.AllowedHostPath', {
  pathPrefix: value(1, string),
  readOnly: value(2, boolean),
});
export interface AllowedHostPath extends Infer<typeof AllowedHostPath> {}

/** A range of user or group IDs. */
export const IDRange = struct('api.policy.v1beta1.IDRange', {
  min: required(1, int64),
  max: required(2, int64),
});
export interface IDRange extends Infer<typeof IDRange> {}

/** Rule for the values of `fsGroup`. */
export const FSGroupStrategyOptions = struct('api.policy.v1beta1.FSGroupStrategyOptions', {
  rule: value(1, wordOf('MayRunAs', 'MustRunAs', 'RunAsAny')),
  ranges: value(2, listOf(ref<IDRange>(IDRange))),
});
export interface FSGroupStrategyOptions extends Infer<typeof FSGroupStrategyOptions> {}

/** A range of ports of the node. */
export const HostPortRange = struct('api.policy.v1beta1.HostPortRange', {
  min: required(1, int32),
  max: required(2, int32),
});
export interface HostPortRange extends Infer<typeof HostPortRange> {}

/** Rule for the primary groups of containers. */
export const RunAsGroupStrategyOptions = struct('api.policy.v1beta1.RunAsGroupStrategyOptions', {
  rule: required(1, wordOf('MayRunAs', 'MustRunAs', 'RunAsAny')),
  ranges: value(2, listOf(ref<IDRange>(IDRange))),
});
export interface RunAsGroupStrategyOptions extends Infer<typeof RunAsGroupStrategyOptions> {}

/** Rule for the users of containers. */
export const RunAsUserStrategyOptions = struct('api.policy.v1beta1.RunAsUserStrategyOptions', {
  rule: required(1, wordOf('MustRunAs', 'MustRunAsNonRoot', 'RunAsAny')),
  ranges: value(2, listOf(ref<IDRange>(IDRange))),
});
export interface RunAsUserStrategyOptions extends Infer<typeof RunAsUserStrategyOptions> {}

/** Rule for the RuntimeClasses of pods. */
export const RuntimeClassStrategyOptions = struct('api.policy.v1beta1.RuntimeClassStrategyOptions', {
  allowedRuntimeClassNames: required(1, listOf(string)),
  defaultRuntimeClassName: optional(2, string),
});
export interface RuntimeClassStrategyOptions extends Infer<typeof RuntimeClassStrategyOptions> {}

/** Rule for the SELinux labels of containers. */
export const SELinuxStrategyOptions = struct('api.policy.v1beta1.SELinuxStrategyOptions', {
  rule: required(1, wordOf('MustRunAs', 'RunAsAny')),
  seLinuxOptions: optional(2, ref<SELinuxOptions>(SELinuxOptions)),
});
export interface SELinuxStrategyOptions extends Infer<typeof SELinuxStrategyOptions> {}

/** Rule for the supplemental groups of pods. */
export const SupplementalGroupsStrategyOptions = struct(
  'api.policy.v1beta1.SupplementalGroupsStrategyOptions',
  {
    rule: value(1, wordOf('MayRunAs', 'MustRunAs', 'RunAsAny')),
    ranges: value(2, listOf(ref<IDRange>(IDRange))),
  },
);
export interface SupplementalGroupsStrategyOptions extends Infer<typeof SupplementalGroupsStrategyOptions> {}

/** Spec of a PodSecurityPolicy: requirements on pods, and optional permissions. */
export const PodSecurityPolicySpec = struct('api.policy.v1beta1.PodSecurityPolicySpec', {
  privileged: value(1, boolean),
  defaultAddCapabilities: value(2, listOf(string)),
  requiredDropCapabilities: value(3, listOf(string)),
  allowedCapabilities: value(4, listOf(string)),
  volumes: value(
    5,
    listOf(
      wordOf(
        '*',
        'awsElasticBlockStore',
        'azureDisk',
        'azureFile',
        'cephFS',
        'cinder',
        'configMap',
        'csi',
        'downwardAPI',
        'emptyDir',
        'ephemeral',
        'fc',
        'flexVolume',
        'flocker',
        'gcePersistentDisk',
        'gitRepo',
        'glusterfs',
        'hostPath',
        'iscsi',
        'nfs',
        'persistentVolumeClaim',
        'photonPersistentDisk',
        'portworxVolume',
        'projected',
        'quobyte',
        'rbd',
        'scaleIO',
        'secret',
        'storageos',
        'vsphereVolume',
      ),
    ),
  ),
  hostNetwork: value(6, boolean),
  hostPorts: value(7, listOf(ref<HostPortRange>(HostPortRange))),
  hostPID: value(8, boolean),
  hostIPC: value(9, boolean),
  seLinux: required(10, ref<SELinuxStrategyOptions>(SELinuxStrategyOptions)),
  runAsUser: required(11, ref<RunAsUserStrategyOptions>(RunAsUserStrategyOptions)),
  runAsGroup: optional(22, ref<RunAsGroupStrategyOptions>(RunAsGroupStrategyOptions)),
  supplementalGroups: required(12, ref<SupplementalGroupsStrategyOptions>(SupplementalGroupsStrategyOptions)),
  fsGroup: required(13, ref<FSGroupStrategyOptions>(FSGroupStrategyOptions)),
  readOnlyRootFilesystem: value(14, boolean),
  defaultAllowPrivilegeEscalation: optional(15, boolean),
  allowPrivilegeEscalation: optional(16, boolean),
  allowedHostPaths: value(17, listOf(ref<AllowedHostPath>(AllowedHostPath))),
  allowedFlexVolumes: value(18, listOf(ref<AllowedFlexVolume>(AllowedFlexVolume))),
  allowedCSIDrivers: value(23, listOf(ref<AllowedCSIDriver>(AllowedCSIDriver))),
  allowedUnsafeSysctls: value(19, listOf(string)),
  forbiddenSysctls: value(20, listOf(string)),
  allowedProcMountTypes: value(21, listOf(wordOf('Default', 'Unmasked'))),
  runtimeClass: optional(24, ref<RuntimeClassStrategyOptions>(RuntimeClassStrategyOptions)),
});
export interface PodSecurityPolicySpec extends Infer<typeof PodSecurityPolicySpec> {}

/** Deprecated kind PodSecurityPolicy: requirements on pods at their admission. */
export const PodSecurityPolicy = struct('api.policy.v1beta1.PodSecurityPolicy', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PodSecurityPolicySpec>(PodSecurityPolicySpec)),
});
export interface PodSecurityPolicy extends Infer<typeof PodSecurityPolicy> {}

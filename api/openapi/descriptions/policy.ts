import type { Descriptions } from './texts.ts';

/** Descriptions of the group `policy`. */
export const policy = (): Descriptions => ({
  AllowedCSIDriver: {
    '': 'A CSI driver that pods may use inline.',
    name: 'Name the driver is registered by.',
  },
  AllowedFlexVolume: {
    '': 'A FlexVolume driver that pods may use.',
    driver: 'Name of the driver.',
  },
  AllowedHostPath: {
    '': 'Paths of the node that pods may mount.',
    pathPrefix: 'Beginning of the paths, by whole steps.',
    readOnly: 'True allows only read-only mounts.',
  },
  Eviction: {
    '': 'Asks to delete a pod unless that would break a disruption budget.',
    deleteOptions: "Options of the pod's deletion.",
  },
  FSGroupStrategyOptions: {
    '': 'Values of `fsGroup` that pods may have.',
    ranges: 'Groups allowed, of which the first is the default; with `MustRunAs`.',
    rule: '`RunAsAny` allows all, `MustRunAs` sets one of the ranges, `MayRunAs` checks a given one.',
  },
  HostPortRange: {
    '': 'A range of ports of the node.',
    max: 'Last port.',
    min: 'First port.',
  },
  IDRange: {
    '': 'A range of user or group ids.',
    max: 'Last id.',
    min: 'First id.',
  },
  PodDisruptionBudget: {
    '': 'Limits how many pods may be evicted at once.',
    spec: 'Selected pods, and the number that must stay or may be evicted.',
    status: 'Number of evictions that are allowed now.',
  },
  PodDisruptionBudgetSpec: {
    '': 'Bounds of a disruption budget: one of the two numbers.',
    maxUnavailable:
      'Pods, as a number or percentage rounded up, that may be missing; excludes `minAvailable`.',
    minAvailable: 'Pods, as a number or percentage rounded up, that must stay; excludes `maxUnavailable`.',
    selector:
      'Chooses the pods; an empty one means all of the namespace, except that in v1beta1 it means none.',
  },
  PodDisruptionBudgetStatus: {
    '': 'State of a budget and the number of evictions it allows.',
    conditions: '`DisruptionAllowed` says whether a pod may be evicted.',
    currentHealthy: 'Number of pods that are ready.',
    desiredHealthy: 'Number of pods that must stay ready.',
    disruptedPods: 'Pods whose eviction was allowed and that still exist, with the time.',
    disruptionsAllowed: 'Number of pods that may be evicted now.',
    expectedPods: 'Number of pods the budget is about.',
    observedGeneration:
      'Generation of the spec that the status was computed from; evictions wait until it is the newest.',
  },
  PodSecurityPolicy: {
    '': 'Deprecated; requirements on pods for their admission.',
    spec: 'The rules, and defaults for pods.',
  },
  PodSecurityPolicySpec: {
    '': 'Requirements on pods, and allowances.',
    allowPrivilegeEscalation: 'True if a process may get more privileges than its parent; default true.',
    allowedCSIDrivers:
      'CSI drivers that may be used inline; empty means all where the volume type is allowed.',
    allowedCapabilities: 'Capabilities that containers may add; `*` is all of them.',
    allowedFlexVolumes:
      'FlexVolume drivers that may be used; empty means all where the volume type is allowed.',
    allowedHostPaths:
      'Paths of the node that may be mounted; empty means all where the volume type is allowed.',
    allowedProcMountTypes: 'Allowed ways of mounting `/proc`; empty allows only `Default`.',
    allowedUnsafeSysctls: 'Unsafe sysctls that may be set, possibly ending in `*`.',
    defaultAddCapabilities: 'Capabilities that containers get unless they drop them.',
    defaultAllowPrivilegeEscalation: 'Value for containers that do not say whether privileges may grow.',
    forbiddenSysctls: 'Sysctls that must not be set, possibly ending in `*`.',
    fsGroup: 'Values of `fsGroup` that are allowed or set.',
    hostIPC: "True if pods may share the node's IPC namespace.",
    hostNetwork: "True if pods may use the node's network.",
    hostPID: "True if pods may see the node's processes.",
    hostPorts: 'Ports of the node that may be used; none by default.',
    privileged: 'True if containers may be privileged.',
    readOnlyRootFilesystem: 'True makes a read-only root file system required, and the default.',
    requiredDropCapabilities: 'Capabilities that are dropped from every container and cannot be added.',
    runAsGroup: 'Primary groups that are allowed or set; unset means any.',
    runAsUser: 'Users that are allowed or set.',
    runtimeClass: 'Runtime classes that are allowed; unset means any.',
    seLinux: 'SELinux labels that are allowed or set.',
    supplementalGroups: 'Supplemental groups that are allowed or set.',
    volumes: 'Types of volumes that may be used; `*` is all of them, empty none.',
  },
  RunAsGroupStrategyOptions: {
    '': 'Primary groups that containers may have.',
    ranges: 'Groups allowed, of which the first is the default; with `MustRunAs`.',
    rule: '`RunAsAny` allows all, `MustRunAs` sets one of the ranges, `MayRunAs` checks a given one.',
  },
  RunAsUserStrategyOptions: {
    '': 'Users that containers may run as.',
    ranges: 'Users allowed, of which the first is the default; with `MustRunAs`.',
    rule: '`RunAsAny` allows all, `MustRunAs` sets one of the ranges, `MustRunAsNonRoot` forbids root.',
  },
  RuntimeClassStrategyOptions: {
    '': 'Runtime classes that pods may name.',
    allowedRuntimeClassNames: 'Names allowed; `*` is all of them, empty none.',
    defaultRuntimeClassName: 'Class for pods that name none; must be allowed itself.',
  },
  SELinuxStrategyOptions: {
    '': 'SELinux labels that containers may have.',
    rule: '`RunAsAny` allows all, `MustRunAs` requires and sets `seLinuxOptions`.',
    seLinuxOptions: 'Labels required with `MustRunAs`.',
  },
  SupplementalGroupsStrategyOptions: {
    '': 'Supplemental groups that pods may have.',
    ranges: 'Groups allowed, of which the first is the default; with `MustRunAs`.',
    rule: '`RunAsAny` allows all, `MustRunAs` sets one of the ranges, `MayRunAs` checks given ones.',
  },
});

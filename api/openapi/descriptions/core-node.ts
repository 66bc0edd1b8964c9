import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the kind Node and of the types that it contains. */
export const coreNode = (): Descriptions => ({
  AttachedVolume: {
    '': 'A volume that is attached to a node.',
    devicePath: 'Path of its device on the node.',
    name: 'Name of the volume, with its plugin.',
  },
  ConfigMapNodeConfigSource: {
    '': 'Deprecated; a ConfigMap with the configuration of the node agent.',
    kubeletConfigKey: 'Key of the entry with the configuration.',
    name: 'Name of the ConfigMap.',
    namespace: 'Namespace of the ConfigMap.',
    resourceVersion: 'Version of the ConfigMap; only in the status.',
    uid: 'Identity of the ConfigMap; only in the status.',
  },
  ContainerImage: {
    '': 'An image on a node.',
    names: 'Names of the image.',
    sizeBytes: 'Size in bytes.',
  },
  DaemonEndpoint: {
    '': 'A port that a daemon of the node answers at.',
    Port: 'Number of the port.',
  },
  Node: {
    '': 'A machine that pods run on.',
    spec: 'Desired configuration of the machine.',
    status: 'State of the machine.',
  },
  NodeAddress: {
    '': 'An address of a node.',
    address: 'The address or name.',
    type: '`Hostname`, `InternalIP`, `ExternalIP`, `InternalDNS` or `ExternalDNS`.',
  },
  NodeCondition: {
    '': "One aspect of a node's state.",
    ...CONDITION,
    lastHeartbeatTime: 'When the node last reported the condition.',
    type: '`Ready`, `MemoryPressure`, `DiskPressure`, `PIDPressure` or `NetworkUnavailable`.',
  },
  NodeConfigSource: {
    '': 'Deprecated; a source of configuration for the node agent, of which there is one kind.',
    configMap: 'ConfigMap with the configuration.',
  },
  NodeConfigStatus: {
    '': 'Deprecated; configurations that the node agent knows.',
    active: 'Configuration in use.',
    assigned: 'Configuration that was assigned to it.',
    error: 'Problem of the assigned one.',
    lastKnownGood: 'Configuration it falls back to.',
  },
  NodeDaemonEndpoints: {
    '': "Ports of a node's daemons.",
    kubeletEndpoint: 'Port of the node agent, which serves logs and commands.',
  },
  NodeSpec: {
    '': 'Desired configuration of a node.',
    configSource: 'Deprecated; where the node agent has its configuration from.',
    externalID: 'Deprecated; not filled in any more.',
    podCIDR: 'First range of addresses for pods; cannot be changed once set.',
    podCIDRs: 'Ranges of addresses for pods, one for each version of IP.',
    providerID: 'Identifier of the machine in the cloud, as `provider://id`; cannot be changed once set.',
    taints: 'Taints that keep pods away, or drive them away.',
    unschedulable: 'True keeps new pods away; set by cordoning, default false.',
  },
  NodeStatus: {
    '': 'State of a node, as the node reports it.',
    addresses: 'Addresses it can be reached at.',
    allocatable: 'Resources that pods can have, by name.',
    capacity: 'Resources there are, by name.',
    conditions: "Aspects of the node's state, one of each type.",
    config: 'Deprecated; configurations the node agent knows.',
    daemonEndpoints: 'Ports of its daemons.',
    images: 'Images it has.',
    nodeInfo: 'Identity and versions of the machine.',
    phase: 'Deprecated and not filled in.',
    volumesAttached: 'Volumes attached to it.',
    volumesInUse: 'Volumes it has mounted, which must not be detached.',
  },
  NodeSystemInfo: {
    '': 'Identity and versions of a machine.',
    architecture: 'Processor architecture, such as `amd64`.',
    bootID: 'Identity of the boot.',
    containerRuntimeVersion: 'Container runtime, as `name://version`.',
    kernelVersion: 'Version of the kernel.',
    kubeProxyVersion: 'Version of the service proxy.',
    kubeletVersion: 'Version of the node agent.',
    machineID: 'Identity of the machine, as its system gives it.',
    operatingSystem: '`linux` or `windows`.',
    osImage: "Name of the operating system's release.",
    systemUUID: 'Identity of the machine, as its firmware gives it.',
  },
  Taint: {
    '': 'Keeps pods that do not tolerate it away from a node.',
    effect: '`NoSchedule` and `PreferNoSchedule` are about new pods, `NoExecute` evicts running ones too.',
    key: 'Key of the taint.',
    timeAdded: 'Time at which the taint was added; only for `NoExecute`.',
    value: 'Value of the taint; may be empty.',
  },
  TopologySelectorLabelRequirement: {
    '': 'Values that a node label may have.',
    key: 'The label.',
    values: 'Values, of which one must match.',
  },
  TopologySelectorTerm: {
    '': 'Requirements on node labels that must all hold.',
    matchLabelExpressions: 'The requirements.',
  },
});

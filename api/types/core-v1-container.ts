import {
  type Infer,
  boolean,
  inline,
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
} from '../schema/schema.ts';
import {
  LocalObjectReference,
  ObjectFieldSelector,
  ResourceFieldSelector,
  ResourceRequirements,
} from './core-v1-shared.ts';

/** An image that is present on a node. */
export const ContainerImage = struct('api.core.v1.ContainerImage', {
  names: required(1, listOf(string), { lenient: true }),
  sizeBytes: value(2, int64),
});
export interface ContainerImage extends Infer<typeof ContainerImage> {}

/** A port of a container. The list of ports is informational; unlisted ports are also reachable. */
export const ContainerPort = struct('api.core.v1.ContainerPort', {
  name: value(1, string),
  hostPort: value(2, int32),
  containerPort: required(3, int32),
  protocol: value(4, oneOf('SCTP', 'TCP', 'UDP'), { default: 'TCP' }),
  hostIP: value(5, string),
});
export interface ContainerPort extends Infer<typeof ContainerPort> {}

/** Reference to a ConfigMap whose entries become environment variables. */
export const ConfigMapEnvSource = struct('api.core.v1.ConfigMapEnvSource', {
  ...inline(1, LocalObjectReference),
  optional: optional(2, boolean),
});
export interface ConfigMapEnvSource extends Infer<typeof ConfigMapEnvSource> {}

/** Reference to a Secret whose entries become environment variables. */
export const SecretEnvSource = struct('api.core.v1.SecretEnvSource', {
  ...inline(1, LocalObjectReference),
  optional: optional(2, boolean),
});
export interface SecretEnvSource extends Infer<typeof SecretEnvSource> {}

/** Source of several environment variables: a ConfigMap or a Secret. */
export const EnvFromSource = struct('api.core.v1.EnvFromSource', {
  prefix: value(1, string),
  configMapRef: optional(2, ref<ConfigMapEnvSource>(ConfigMapEnvSource)),
  secretRef: optional(3, ref<SecretEnvSource>(SecretEnvSource)),
});
export interface EnvFromSource extends Infer<typeof EnvFromSource> {}

/** Reference to one entry of a ConfigMap. */
export const ConfigMapKeySelector = struct(
  'api.core.v1.ConfigMapKeySelector',
  {
    ...inline(1, LocalObjectReference),
    key: required(2, string),
    optional: optional(3, boolean),
  },
  { mapType: 'atomic' },
);
export interface ConfigMapKeySelector extends Infer<typeof ConfigMapKeySelector> {}

/** Reference to one entry of a Secret. */
export const SecretKeySelector = struct(
  'api.core.v1.SecretKeySelector',
  {
    ...inline(1, LocalObjectReference),
    key: required(2, string),
    optional: optional(3, boolean),
  },
  { mapType: 'atomic' },
);
export interface SecretKeySelector extends Infer<typeof SecretKeySelector> {}

/** Source of the value of an environment variable. Exactly one member is set. */
export const EnvVarSource = struct('api.core.v1.EnvVarSource', {
  fieldRef: optional(1, ref<ObjectFieldSelector>(ObjectFieldSelector)),
  resourceFieldRef: optional(2, ref<ResourceFieldSelector>(ResourceFieldSelector)),
  configMapKeyRef: optional(3, ref<ConfigMapKeySelector>(ConfigMapKeySelector)),
  secretKeyRef: optional(4, ref<SecretKeySelector>(SecretKeySelector)),
});
export interface EnvVarSource extends Infer<typeof EnvVarSource> {}

/** An environment variable. */
export const EnvVar = struct('api.core.v1.EnvVar', {
  name: required(1, string),
  value: value(2, string),
  valueFrom: optional(3, ref<EnvVarSource>(EnvVarSource)),
});
export interface EnvVar extends Infer<typeof EnvVar> {}

/** Action that runs a command in the container. Exit code 0 means success. */
export const ExecAction = struct('api.core.v1.ExecAction', {
  command: value(1, listOf(string)),
});
export interface ExecAction extends Infer<typeof ExecAction> {}

/** A header of a probe's HTTP request. */
export const HTTPHeader = struct('api.core.v1.HTTPHeader', {
  name: required(1, string),
  value: required(2, string),
});
export interface HTTPHeader extends Infer<typeof HTTPHeader> {}

/** Action that sends a GET request. Status codes from 200 to 399 mean success. */
export const HTTPGetAction = struct('api.core.v1.HTTPGetAction', {
  path: value(1, string),
  port: required(2, intOrString),
  host: value(3, string),
  scheme: value(4, oneOf('HTTP', 'HTTPS')),
  httpHeaders: value(5, listOf(ref<HTTPHeader>(HTTPHeader))),
});
export interface HTTPGetAction extends Infer<typeof HTTPGetAction> {}

/** Action that opens a TCP connection. It succeeds if the connection is established. */
export const TCPSocketAction = struct('api.core.v1.TCPSocketAction', {
  port: required(1, intOrString),
  host: value(2, string),
});
export interface TCPSocketAction extends Infer<typeof TCPSocketAction> {}

/** Action of a lifecycle hook. Exactly one member is set. */
export const LifecycleHandler = struct('api.core.v1.LifecycleHandler', {
  exec: optional(1, ref<ExecAction>(ExecAction)),
  httpGet: optional(2, ref<HTTPGetAction>(HTTPGetAction)),
  tcpSocket: optional(3, ref<TCPSocketAction>(TCPSocketAction)),
});
export interface LifecycleHandler extends Infer<typeof LifecycleHandler> {}

/** Hooks that run after the start and before the termination of a container. */
export const Lifecycle = struct('api.core.v1.Lifecycle', {
  postStart: optional(1, ref<LifecycleHandler>(LifecycleHandler)),
  preStop: optional(2, ref<LifecycleHandler>(LifecycleHandler)),
});
export interface Lifecycle extends Infer<typeof Lifecycle> {}

/** Action that queries the gRPC health service. It requires a feature gate. */
export const GRPCAction = struct('api.core.v1.GRPCAction', {
  port: required(1, int32),
  service: required(2, string, { lenient: true }),
});
export interface GRPCAction extends Infer<typeof GRPCAction> {}

/** Action of a probe. Exactly one member is set. */
export const ProbeHandler = struct('api.core.v1.ProbeHandler', {
  exec: optional(1, ref<ExecAction>(ExecAction)),
  httpGet: optional(2, ref<HTTPGetAction>(HTTPGetAction)),
  tcpSocket: optional(3, ref<TCPSocketAction>(TCPSocketAction)),
  grpc: optional(4, ref<GRPCAction>(GRPCAction)),
});
export interface ProbeHandler extends Infer<typeof ProbeHandler> {}

/** Periodic check of a container's state. Exactly one of the four actions is set. */
export const Probe = struct('api.core.v1.Probe', {
  ...inline(1, ProbeHandler),
  initialDelaySeconds: value(2, int32),
  timeoutSeconds: value(3, int32),
  periodSeconds: value(4, int32),
  successThreshold: value(5, int32),
  failureThreshold: value(6, int32),
  terminationGracePeriodSeconds: optional(7, int64),
});
export interface Probe extends Infer<typeof Probe> {}

/** POSIX capabilities of a container, relative to the default of the container runtime. */
export const Capabilities = struct('api.core.v1.Capabilities', {
  add: value(1, listOf(string)),
  drop: value(2, listOf(string)),
});
export interface Capabilities extends Infer<typeof Capabilities> {}

/** Parts of an SELinux label. */
export const SELinuxOptions = struct('api.core.v1.SELinuxOptions', {
  user: value(1, string),
  role: value(2, string),
  type: value(3, string),
  level: value(4, string),
});
export interface SELinuxOptions extends Infer<typeof SELinuxOptions> {}

/** Seccomp profile, a filter of system calls. */
export const SeccompProfile = struct(
  'api.core.v1.SeccompProfile',
  {
    type: required(1, oneOf('Localhost', 'RuntimeDefault', 'Unconfined')),
    localhostProfile: optional(2, string),
  },
  { discriminator: 'type' },
);
export interface SeccompProfile extends Infer<typeof SeccompProfile> {}

/** Security settings of Windows containers. */
export const WindowsSecurityContextOptions = struct('api.core.v1.WindowsSecurityContextOptions', {
  gmsaCredentialSpecName: optional(1, string),
  gmsaCredentialSpec: optional(2, string),
  runAsUserName: optional(3, string),
  hostProcess: optional(4, boolean),
});
export interface WindowsSecurityContextOptions extends Infer<typeof WindowsSecurityContextOptions> {}

/** Security settings of a container, which override the settings of its pod. */
export const SecurityContext = struct('api.core.v1.SecurityContext', {
  capabilities: optional(1, ref<Capabilities>(Capabilities)),
  privileged: optional(2, boolean),
  seLinuxOptions: optional(3, ref<SELinuxOptions>(SELinuxOptions)),
  windowsOptions: optional(10, ref<WindowsSecurityContextOptions>(WindowsSecurityContextOptions)),
  runAsUser: optional(4, int64),
  runAsGroup: optional(8, int64),
  runAsNonRoot: optional(5, boolean),
  readOnlyRootFilesystem: optional(6, boolean),
  allowPrivilegeEscalation: optional(7, boolean),
  procMount: optional(9, oneOf('Default', 'Unmasked')),
  seccompProfile: optional(11, ref<SeccompProfile>(SeccompProfile)),
});
export interface SecurityContext extends Infer<typeof SecurityContext> {}

/** A volume that a container uses as a block device. */
export const VolumeDevice = struct('api.core.v1.VolumeDevice', {
  name: required(1, string),
  devicePath: required(2, string),
});
export interface VolumeDevice extends Infer<typeof VolumeDevice> {}

/** A volume that is mounted in a container. */
export const VolumeMount = struct('api.core.v1.VolumeMount', {
  name: required(1, string),
  readOnly: value(2, boolean),
  mountPath: required(3, string),
  subPath: value(4, string),
  mountPropagation: optional(5, oneOf('Bidirectional', 'HostToContainer', 'None')),
  subPathExpr: value(6, string),
});
export interface VolumeMount extends Infer<typeof VolumeMount> {}

const containerFields = {
  name: required(1, string),
  image: value(2, string),
  command: value(3, listOf(string)),
  args: value(4, listOf(string)),
  workingDir: value(5, string),
  ports: value(6, listOf(ref<ContainerPort>(ContainerPort)), {
    listType: 'map',
    listMapKeys: ['containerPort', 'protocol'],
    patchStrategy: ['merge'],
    patchMergeKey: 'containerPort',
  }),
  envFrom: value(19, listOf(ref<EnvFromSource>(EnvFromSource))),
  env: value(7, listOf(ref<EnvVar>(EnvVar)), { patchStrategy: ['merge'], patchMergeKey: 'name' }),
  resources: value(8, ref<ResourceRequirements>(ResourceRequirements)),
  volumeMounts: value(9, listOf(ref<VolumeMount>(VolumeMount)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'mountPath',
  }),
  volumeDevices: value(21, listOf(ref<VolumeDevice>(VolumeDevice)), {
    patchStrategy: ['merge'],
    patchMergeKey: 'devicePath',
  }),
  livenessProbe: optional(10, ref<Probe>(Probe)),
  readinessProbe: optional(11, ref<Probe>(Probe)),
  startupProbe: optional(22, ref<Probe>(Probe)),
  lifecycle: optional(12, ref<Lifecycle>(Lifecycle)),
  terminationMessagePath: value(13, string),
  terminationMessagePolicy: value(20, oneOf('FallbackToLogsOnError', 'File')),
  imagePullPolicy: value(14, oneOf('Always', 'IfNotPresent', 'Never')),
  securityContext: optional(15, ref<SecurityContext>(SecurityContext)),
  stdin: value(16, boolean),
  stdinOnce: value(17, boolean),
  tty: value(18, boolean),
};

/** A container of a pod. */
export const Container = struct('api.core.v1.Container', containerFields);
export interface Container extends Infer<typeof Container> {}

/** Fields that regular and ephemeral containers share. */
export const EphemeralContainerCommon = struct('api.core.v1.EphemeralContainerCommon', containerFields);
export interface EphemeralContainerCommon extends Infer<typeof EphemeralContainerCommon> {}

/** A container that is added to a running pod for debugging. It is never restarted and has no resources. */
export const EphemeralContainer = struct('api.core.v1.EphemeralContainer', {
  ...inline(1, EphemeralContainerCommon),
  targetContainerName: value(2, string),
});
export interface EphemeralContainer extends Infer<typeof EphemeralContainer> {}

/** State of a running container. */
export const ContainerStateRunning = struct('api.core.v1.ContainerStateRunning', {
  startedAt: value(1, time),
});
export interface ContainerStateRunning extends Infer<typeof ContainerStateRunning> {}

/** State of a terminated container. */
export const ContainerStateTerminated = struct('api.core.v1.ContainerStateTerminated', {
  exitCode: required(1, int32),
  signal: value(2, int32),
  reason: value(3, string),
  message: value(4, string),
  startedAt: value(5, time),
  finishedAt: value(6, time),
  containerID: value(7, string),
});
export interface ContainerStateTerminated extends Infer<typeof ContainerStateTerminated> {}

/** State of a container that has not started yet. */
export const ContainerStateWaiting = struct('api.core.v1.ContainerStateWaiting', {
  reason: value(1, string),
  message: value(2, string),
});
export interface ContainerStateWaiting extends Infer<typeof ContainerStateWaiting> {}

/** State of a container. The member that is set names the state; if none is set, the container is waiting. */
export const ContainerState = struct('api.core.v1.ContainerState', {
  waiting: optional(1, ref<ContainerStateWaiting>(ContainerStateWaiting)),
  running: optional(2, ref<ContainerStateRunning>(ContainerStateRunning)),
  terminated: optional(3, ref<ContainerStateTerminated>(ContainerStateTerminated)),
});
export interface ContainerState extends Infer<typeof ContainerState> {}

/** Status of one container of a pod. */
export const ContainerStatus = struct('api.core.v1.ContainerStatus', {
  name: required(1, string),
  state: value(2, ref<ContainerState>(ContainerState)),
  lastState: value(3, ref<ContainerState>(ContainerState)),
  ready: required(4, boolean),
  restartCount: required(5, int32),
  image: required(6, string),
  imageID: required(7, string),
  containerID: value(8, string),
  started: optional(9, boolean),
});
export interface ContainerStatus extends Infer<typeof ContainerStatus> {}

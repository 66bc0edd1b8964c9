/**
 * Internal Go types of Kubernetes 1.24 that error messages print: the fields in order, with their types.
 * `text` is a string, `text:X` a string of the named type X, `[]T` a list, `*T` a pointer, and `+T` an
 * embedded struct whose fields JSON inlines. Unlisted types are printed with the fields of their JSON.
 */
const TYPES: { readonly [name: string]: string } = {
  'v1.ObjectMeta':
    'Name text, GenerateName text, Namespace text, SelfLink text, UID text, ResourceVersion text, Generation number, CreationTimestamp time, DeletionTimestamp *v1.Time, DeletionGracePeriodSeconds *int64, Labels map[string]string, Annotations map[string]string, OwnerReferences []v1.OwnerReference, Finalizers []string, ZZZ_DeprecatedClusterName text, ManagedFields []v1.ManagedFieldsEntry',
  'v1.OwnerReference':
    'APIVersion text, Kind text, Name text, UID text, Controller *bool, BlockOwnerDeletion *bool',
  'v1.LabelSelector': 'MatchLabels map[string]string, MatchExpressions []v1.LabelSelectorRequirement',
  'v1.LabelSelectorRequirement': 'Key text, Operator text, Values []string',
  'authorization.NonResourceAttributes': 'Path text, Verb text',
  'flowcontrol.FlowDistinguisherMethod': 'Type text',
  'core.PodTemplateSpec': 'ObjectMeta v1.ObjectMeta, Spec core.PodSpec',
  'core.PodSpec':
    'Volumes []core.Volume, InitContainers []core.Container, Containers []core.Container, EphemeralContainers []core.EphemeralContainer, RestartPolicy text, TerminationGracePeriodSeconds *int64, ActiveDeadlineSeconds *int64, DNSPolicy text, NodeSelector map[string]string, ServiceAccountName text, AutomountServiceAccountToken *bool, NodeName text, SecurityContext *core.PodSecurityContext, ImagePullSecrets []core.LocalObjectReference, Hostname text, Subdomain text, SetHostnameAsFQDN *bool, Affinity *core.Affinity, SchedulerName text, Tolerations []core.Toleration, HostAliases []core.HostAlias, PriorityClassName text, Priority *int32, PreemptionPolicy *core.PreemptionPolicy, DNSConfig *core.PodDNSConfig, ReadinessGates []core.PodReadinessGate, RuntimeClassName *string, Overhead core.ResourceList, EnableServiceLinks *bool, TopologySpreadConstraints []core.TopologySpreadConstraint, OS *core.PodOS',
  'core.Container':
    'Name text, Image text, Command []string, Args []string, WorkingDir text, Ports []core.ContainerPort, EnvFrom []core.EnvFromSource, Env []core.EnvVar, Resources core.ResourceRequirements, VolumeMounts []core.VolumeMount, VolumeDevices []core.VolumeDevice, LivenessProbe *core.Probe, ReadinessProbe *core.Probe, StartupProbe *core.Probe, Lifecycle *core.Lifecycle, TerminationMessagePath text, TerminationMessagePolicy text, ImagePullPolicy text, SecurityContext *core.SecurityContext, Stdin bool, StdinOnce bool, TTY bool',
  'core.EphemeralContainer': 'EphemeralContainerCommon +core.Container, TargetContainerName text',
  'core.ContainerPort': 'Name text, HostPort number, ContainerPort number, Protocol text, HostIP text',
  'core.EnvFromSource': 'Prefix text, ConfigMapRef *core.ConfigMapEnvSource, SecretRef *core.SecretEnvSource',
  'core.EnvVar': 'Name text, Value text, ValueFrom *core.EnvVarSource',
  'core.ResourceRequirements': 'Limits core.ResourceList, Requests core.ResourceList',
  'core.VolumeMount':
    'Name text, ReadOnly bool, MountPath text, SubPath text, MountPropagation *core.MountPropagationMode, SubPathExpr text',
  'core.VolumeDevice': 'Name text, DevicePath text',
  'core.Probe':
    'ProbeHandler +core.ProbeHandler, InitialDelaySeconds number, TimeoutSeconds number, PeriodSeconds number, SuccessThreshold number, FailureThreshold number, TerminationGracePeriodSeconds *int64',
  'core.ProbeHandler':
    'Exec *core.ExecAction, HTTPGet *core.HTTPGetAction, TCPSocket *core.TCPSocketAction, GRPC *core.GRPCAction',
  'core.Volume': 'Name text, VolumeSource +core.VolumeSource',
  'core.VolumeSource':
    'HostPath *core.HostPathVolumeSource, EmptyDir *core.EmptyDirVolumeSource, GCEPersistentDisk *core.GCEPersistentDiskVolumeSource, AWSElasticBlockStore *core.AWSElasticBlockStoreVolumeSource, GitRepo *core.GitRepoVolumeSource, Secret *core.SecretVolumeSource, NFS *core.NFSVolumeSource, ISCSI *core.ISCSIVolumeSource, Glusterfs *core.GlusterfsVolumeSource, PersistentVolumeClaim *core.PersistentVolumeClaimVolumeSource, RBD *core.RBDVolumeSource, Quobyte *core.QuobyteVolumeSource, FlexVolume *core.FlexVolumeSource, Cinder *core.CinderVolumeSource, CephFS *core.CephFSVolumeSource, Flocker *core.FlockerVolumeSource, DownwardAPI *core.DownwardAPIVolumeSource, FC *core.FCVolumeSource, AzureFile *core.AzureFileVolumeSource, ConfigMap *core.ConfigMapVolumeSource, VsphereVolume *core.VsphereVirtualDiskVolumeSource, AzureDisk *core.AzureDiskVolumeSource, PhotonPersistentDisk *core.PhotonPersistentDiskVolumeSource, Projected *core.ProjectedVolumeSource, PortworxVolume *core.PortworxVolumeSource, ScaleIO *core.ScaleIOVolumeSource, StorageOS *core.StorageOSVolumeSource, CSI *core.CSIVolumeSource, Ephemeral *core.EphemeralVolumeSource',
  'core.LocalObjectReference': 'Name text',
  'core.Toleration': 'Key text, Operator text, Value text, Effect text, TolerationSeconds *int64',
  'core.HostAlias': 'IP text, Hostnames []string',
  'core.PodIP': 'IP text',
  'core.Lifecycle': 'PostStart *core.LifecycleHandler, PreStop *core.LifecycleHandler',
  'core.SeccompProfile': 'Type text, LocalhostProfile *string',
  'core.PodReadinessGate': 'ConditionType text',
  'core.TopologySpreadConstraint':
    'MaxSkew number, TopologyKey text, WhenUnsatisfiable text, LabelSelector *v1.LabelSelector, MinDomains *int32',
  'core.PersistentVolumeClaimSpec':
    'AccessModes []core.PersistentVolumeAccessMode, Selector *v1.LabelSelector, Resources core.ResourceRequirements, VolumeName text, StorageClassName *string, VolumeMode *core.PersistentVolumeMode, DataSource *core.TypedLocalObjectReference, DataSourceRef *core.TypedLocalObjectReference',
  'core.TypedLocalObjectReference': 'APIGroup *string, Kind text, Name text',
  'core.SecurityContext':
    'Capabilities *core.Capabilities, Privileged *bool, SELinuxOptions *core.SELinuxOptions, WindowsOptions *core.WindowsSecurityContextOptions, RunAsUser *int64, RunAsGroup *int64, RunAsNonRoot *bool, ReadOnlyRootFilesystem *bool, AllowPrivilegeEscalation *bool, ProcMount *core.ProcMountType, SeccompProfile *core.SeccompProfile',
  'core.VolumeNodeAffinity': 'Required *core.NodeSelector',
  'core.PersistentVolumeSource':
    'GCEPersistentDisk *core.GCEPersistentDiskVolumeSource, AWSElasticBlockStore *core.AWSElasticBlockStoreVolumeSource, HostPath *core.HostPathVolumeSource, Glusterfs *core.GlusterfsPersistentVolumeSource, NFS *core.NFSVolumeSource, RBD *core.RBDPersistentVolumeSource, Quobyte *core.QuobyteVolumeSource, ISCSI *core.ISCSIPersistentVolumeSource, FlexVolume *core.FlexPersistentVolumeSource, Cinder *core.CinderPersistentVolumeSource, CephFS *core.CephFSPersistentVolumeSource, FC *core.FCVolumeSource, Flocker *core.FlockerVolumeSource, AzureFile *core.AzureFilePersistentVolumeSource, VsphereVolume *core.VsphereVirtualDiskVolumeSource, AzureDisk *core.AzureDiskVolumeSource, PhotonPersistentDisk *core.PhotonPersistentDiskVolumeSource, PortworxVolume *core.PortworxVolumeSource, ScaleIO *core.ScaleIOPersistentVolumeSource, Local *core.LocalVolumeSource, StorageOS *core.StorageOSPersistentVolumeSource, CSI *core.CSIPersistentVolumeSource',
  'core.GCEPersistentDiskVolumeSource': 'PDName text, FSType text, Partition number, ReadOnly bool',
  'core.AWSElasticBlockStoreVolumeSource': 'VolumeID text, FSType text, Partition number, ReadOnly bool',
  'core.HostPathVolumeSource': 'Path text, Type *core.HostPathType',
  'core.GlusterfsPersistentVolumeSource':
    'EndpointsName text, Path text, ReadOnly bool, EndpointsNamespace *string',
  'core.NFSVolumeSource': 'Server text, Path text, ReadOnly bool',
  'core.RBDPersistentVolumeSource':
    'CephMonitors []string, RBDImage text, FSType text, RBDPool text, RadosUser text, Keyring text, SecretRef *core.SecretReference, ReadOnly bool',
  'core.QuobyteVolumeSource': 'Registry text, Volume text, ReadOnly bool, User text, Group text, Tenant text',
  'core.ISCSIPersistentVolumeSource':
    'TargetPortal text, IQN text, Lun number, ISCSIInterface text, FSType text, ReadOnly bool, Portals []string, DiscoveryCHAPAuth bool, SessionCHAPAuth bool, SecretRef *core.SecretReference, InitiatorName *string',
  'core.FlexPersistentVolumeSource':
    'Driver text, FSType text, SecretRef *core.SecretReference, ReadOnly bool, Options map[string]string',
  'core.CinderPersistentVolumeSource':
    'VolumeID text, FSType text, ReadOnly bool, SecretRef *core.SecretReference',
  'core.CephFSPersistentVolumeSource':
    'Monitors []string, Path text, User text, SecretFile text, SecretRef *core.SecretReference, ReadOnly bool',
  'core.FCVolumeSource': 'TargetWWNs []string, Lun *int32, FSType text, ReadOnly bool, WWIDs []string',
  'core.FlockerVolumeSource': 'DatasetName text, DatasetUUID text',
  'core.AzureFilePersistentVolumeSource':
    'SecretName text, ShareName text, ReadOnly bool, SecretNamespace *string',
  'core.VsphereVirtualDiskVolumeSource':
    'VolumePath text, FSType text, StoragePolicyName text, StoragePolicyID text',
  'core.AzureDiskVolumeSource':
    'DiskName text, DataDiskURI text, CachingMode *core.AzureDataDiskCachingMode, FSType *string, ReadOnly *bool, Kind *core.AzureDataDiskKind',
  'core.PhotonPersistentDiskVolumeSource': 'PdID text, FSType text',
  'core.PortworxVolumeSource': 'VolumeID text, FSType text, ReadOnly bool',
  'core.ScaleIOPersistentVolumeSource':
    'Gateway text, System text, SecretRef *core.SecretReference, SSLEnabled bool, ProtectionDomain text, StoragePool text, StorageMode text, VolumeName text, FSType text, ReadOnly bool',
  'core.LocalVolumeSource': 'Path text, FSType *string',
  'core.StorageOSPersistentVolumeSource':
    'VolumeName text, VolumeNamespace text, FSType text, ReadOnly bool, SecretRef *core.ObjectReference',
  'core.CSIPersistentVolumeSource':
    'Driver text, VolumeHandle text, ReadOnly bool, FSType text, VolumeAttributes map[string]string, ControllerPublishSecretRef *core.SecretReference, NodeStageSecretRef *core.SecretReference, NodePublishSecretRef *core.SecretReference, ControllerExpandSecretRef *core.SecretReference',
  'core.SecretReference': 'Name text, Namespace text',
  'apps.DeploymentStrategy': 'Type text, RollingUpdate *apps.RollingUpdateDeployment',
  'apps.DaemonSetUpdateStrategy': 'Type text, RollingUpdate *apps.RollingUpdateDaemonSet',
  'apps.StatefulSetUpdateStrategy': 'Type text, RollingUpdate *apps.RollingUpdateStatefulSetStrategy',
  'apps.RollingUpdateStatefulSetStrategy': 'Partition number, MaxUnavailable *intstr.IntOrString',
  'storage.CSINodeDriver':
    'Name text, NodeID text, TopologyKeys []string, Allocatable *storage.VolumeNodeResources',
  'storage.VolumeAttachmentSpec': 'Attacher text, Source storage.VolumeAttachmentSource, NodeName text',
  'storage.VolumeAttachmentSource':
    'PersistentVolumeName *string, InlineVolumeSpec *core.PersistentVolumeSpec',
  'flowcontrol.FlowSchemaSpec':
    'PriorityLevelConfiguration flowcontrol.PriorityLevelConfigurationReference, MatchingPrecedence number, DistinguisherMethod *flowcontrol.FlowDistinguisherMethod, Rules []flowcontrol.PolicyRulesWithSubjects',
  'flowcontrol.PriorityLevelConfigurationReference': 'Name text',
  'flowcontrol.PolicyRulesWithSubjects':
    'Subjects []flowcontrol.Subject, ResourceRules []flowcontrol.ResourcePolicyRule, NonResourceRules []flowcontrol.NonResourcePolicyRule',
  'flowcontrol.Subject':
    'Kind text, User *flowcontrol.UserSubject, Group *flowcontrol.GroupSubject, ServiceAccount *flowcontrol.ServiceAccountSubject',
  'flowcontrol.ResourcePolicyRule':
    'Verbs []string, APIGroups []string, Resources []string, ClusterScope bool, Namespaces []string',
  'flowcontrol.NonResourcePolicyRule': 'Verbs []string, NonResourceURLs []string',
  'flowcontrol.PriorityLevelConfigurationSpec':
    'Type text, Limited *flowcontrol.LimitedPriorityLevelConfiguration',
};

/** A field of a Go struct. */
export interface GoField {
  readonly name: string;
  /** Key in JSON; undefined for an embedded struct whose fields JSON inlines. */
  readonly key: string | undefined;
  readonly type: string;
}

/** JSON keys that cannot be derived from the Go name. */
const KEYS: { readonly [name: string]: string } = {
  ObjectMeta: 'metadata',
  CephFS: 'cephfs',
  StorageOS: 'storageos',
  CephMonitors: 'monitors',
  RBDImage: 'image',
  RBDPool: 'pool',
  RadosUser: 'user',
  EndpointsName: 'endpoints',
  DiscoveryCHAPAuth: 'chapAuthDiscovery',
  SessionCHAPAuth: 'chapAuthSession',
  DataDiskURI: 'diskURI',
  WWIDs: 'wwids',
  ZZZ_DeprecatedClusterName: 'clusterName',
};

/** Returns the JSON key of a Go field: leading capitals become lower case, as in `HTTPGet` → `httpGet`. */
const keyOf = (name: string): string =>
  KEYS[name] ?? name.replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z])/, (capitals) => capitals.toLowerCase());

/** Fields of a pod spec that upstream's internal type has in the security context. */
export const IN_SECURITY_CONTEXT = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'] as const;

const compiled = new Map<string, readonly GoField[]>();

/** Returns the fields of a struct; undefined for an unknown type. */
export function fieldsOf(type: string): readonly GoField[] | undefined {
  const known = compiled.get(type);
  const text = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (known !== undefined || text === undefined) return known;
  const fields = text.split(', ').map((field): GoField => {
    const [name = '', of = ''] = field.split(' ');
    return of.startsWith('+')
      ? { name, key: undefined, type: of.slice(1) }
      : { name, key: keyOf(name), type: of };
  });
  compiled.set(type, fields);
  return fields;
}

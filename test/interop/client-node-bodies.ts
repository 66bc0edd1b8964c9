const containers = [{ name: 'main', image: 'busybox' }];
const labels = { app: 'classes' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers } };
const once = { spec: { restartPolicy: 'Never', containers } };
const asked = { user: 'jane', resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } };
const webhooks: readonly object[] = [];

/** Required fields by kind, in addition to the name. Kinds that are not listed require none. */
export const bodies: Readonly<Record<string, object>> = {
  APIService: {
    metadata: { name: 'v1.absent.example.com' },
    spec: {
      group: 'absent.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'absent' },
    },
  },
  Binding: { metadata: { name: 'bound' }, target: { kind: 'Node', name: 'node-1' } },
  CertificateSigningRequest: { spec: { signerName: 'example.com/any', usages: ['client auth'] } },
  ClusterRoleBinding: {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  },
  ControllerRevision: { revision: 1, data: { a: 'b' } },
  CronJob: { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: once } } } },
  CSIDriver: { spec: { attachRequired: false } },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: { storageClassName: 'slow', nodeTopology: {} },
  CustomResourceDefinition: {
    metadata: { name: 'things.classes.example.com' },
    spec: {
      group: 'classes.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  },
  DaemonSet: { spec: { selector, template } },
  Deployment: { spec: { selector, template } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.0.4'] }] },
  HorizontalPodAutoscaler: {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'classes' } },
  },
  Ingress: { spec: { defaultBackend: { service: { name: 'classes', port: { number: 80 } } } } },
  IngressClass: { spec: { controller: 'example.com/plain' } },
  Job: { spec: { template: once } },
  LocalSubjectAccessReview: { spec: asked },
  MutatingWebhookConfiguration: { webhooks },
  NetworkPolicy: { spec: { podSelector: {} } },
  PersistentVolume: {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
  },
  PersistentVolumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  Pod: { spec: { containers } },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector } },
  PodTemplate: { template },
  PriorityClass: { value: 10 },
  ReplicaSet: { spec: { selector, template } },
  ReplicationController: { spec: { selector: labels, template } },
  RoleBinding: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
  RuntimeClass: { handler: 'plain' },
  SelfSubjectAccessReview: { spec: { resourceAttributes: asked.resourceAttributes } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  Service: { spec: { ports: [{ port: 80 }] } },
  StatefulSet: { spec: { serviceName: 'classes', selector, template } },
  StorageClass: { provisioner: 'example.com/slow' },
  SubjectAccessReview: { spec: asked },
  TokenReview: { spec: { token: 'none' } },
  ValidatingWebhookConfiguration: { webhooks },
  VolumeAttachment: {
    spec: { attacher: 'slow.example.com', nodeName: 'node-1', source: { persistentVolumeName: 'disk' } },
  },
};

/** True for kinds that are processed but not stored. */
export const isReview = (kind: string): boolean => kind.endsWith('Review') || kind === 'Binding';

import type { AnyKind } from '../../api/kinds/scheme.ts';

const container = { name: 'c', image: 'i' };
const pod = { containers: [container] };
const labels = { app: 'a' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: pod };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' };
const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://h/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const request = '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n';
const scale = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 2 };

/** Members of a minimal valid object, for each kind that requires some. */
const BASES: { readonly [kind: string]: object } = {
  Pod: { spec: pod },
  PodTemplate: { template },
  ReplicationController: { spec: { selector: labels, template } },
  Deployment: { spec: { selector, template } },
  ReplicaSet: { spec: { selector, template } },
  DaemonSet: { spec: { selector, template } },
  StatefulSet: { spec: { selector, template, serviceName: 's' } },
  Job: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
  CronJob: {
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...pod, restartPolicy: 'Never' } } } },
    },
  },
  Service: { spec: { ports: [{ port: 1 }], selector: labels } },
  EndpointSlice: { addressType: 'IPv4', endpoints: [], ports: [] },
  Ingress: { spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } } },
  IngressClass: { spec: { controller: 'a.b/c' } },
  NetworkPolicy: { spec: { podSelector: {} } },
  PersistentVolume: {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
  },
  PersistentVolumeClaim: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  StorageClass: { provisioner: 'a.b/c', volumeBindingMode: 'Immediate' },
  VolumeAttachment: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: { storageClassName: 's' },
  PodDisruptionBudget: { spec: { minAvailable: 1, selector } },
  HorizontalPodAutoscaler: { spec: scale },
  LimitRange: { spec: { limits: [] } },
  ResourceQuota: { spec: { hard: {} } },
  RoleBinding: { roleRef, subjects: [] },
  ClusterRoleBinding: { roleRef, subjects: [] },
  PriorityClass: { value: 1 },
  RuntimeClass: { handler: 'h' },
  Lease: { spec: {} },
  CertificateSigningRequest: {
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: 'a.b/c',
      usages: ['digital signature'],
    },
  },
  MutatingWebhookConfiguration: { webhooks: [webhook] },
  ValidatingWebhookConfiguration: { webhooks: [webhook] },
  CustomResourceDefinition: {
    metadata: { name: 'as.x.io' },
    spec: {
      group: 'x.io',
      names: { kind: 'A', plural: 'as' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  },
  APIService: {
    metadata: { name: 'v1.x.io' },
    spec: { group: 'x.io', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
  },
  FlowSchema: { spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 1 } },
  PriorityLevelConfiguration: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } } },
  SubjectAccessReview: { spec: { user: 'u', resourceAttributes: { verb: 'get' } } },
  LocalSubjectAccessReview: {
    spec: { user: 'u', resourceAttributes: { verb: 'get', namespace: 'default' } },
  },
  SelfSubjectAccessReview: { spec: { resourceAttributes: { verb: 'get' } } },
  SelfSubjectRulesReview: { spec: { namespace: 'default' } },
  TokenReview: { spec: { token: 't' } },
  Event: { involvedObject: { namespace: 'default' }, eventTime: '2024-01-01T00:00:00.000000Z' },
};

/** Returns a minimal valid object of a kind. Reviews have no name. */
export const baseOf = ({ kind, virtual }: Pick<AnyKind, 'kind' | 'virtual'>): object => ({
  ...(virtual ? {} : { metadata: { name: 'x' } }),
  ...BASES[kind],
});

import type { AnyKind } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { createCertificateRequest } from '../../base/pki/request.ts';

const container = { name: 'c', image: 'i' };
const labels = { app: 'web' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [container] } };
const jobTemplate = { spec: { restartPolicy: 'Never', containers: [container] } };
const cronJob = { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } };
const workload = { spec: { selector, template } };
const apiGroup = kubernetesVocabulary.group('rbac.authorization');
const subjects = [{ kind: 'User', apiGroup, name: 'u' }];
const storage = { storage: '1Gi' };
const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
const webhook = {
  name: 'w.example.com',
  clientConfig: { url: 'https://w.example.com/' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};

const certificateRequest = (): string =>
  Buffer.from(
    createCertificateRequest(generateKeyPair('ec-p256'), { commonName: 'u', organizations: [] }),
  ).toString('base64');

/**
 * Small valid object of each resource, or of each resource and version if the versions differ. For a resource
 * without an entry, an object with only a name is valid.
 */
const EXAMPLES: { readonly [resource: string]: object | (() => object) } = {
  events: { involvedObject: { namespace: 'default' }, reason: 'r' },
  'events/events/v1': {
    metadata: { name: 'a', namespace: 'default' },
    regarding: { namespace: 'default', kind: 'Pod', name: 'p' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'c.example.com/c',
    reportingInstance: 'i',
    action: 'a',
    reason: 'r',
    type: 'Normal',
  },
  pods: { spec: template.spec },
  limitranges: { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } },
  cronjobs: { spec: cronJob },
  jobs: { spec: { template: jobTemplate } },
  certificatesigningrequests: () => ({
    spec: {
      request: certificateRequest(),
      signerName: 'example.com/signer',
      usages: ['client auth'],
    },
  }),
  leases: { spec: { leaseDurationSeconds: 15, holderIdentity: 'h' } },
  prioritylevelconfigurations: {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  },
  flowschemas: { spec: { priorityLevelConfiguration: { name: 'global-default' } } },
  clusterrolebindings: { subjects, roleRef: { apiGroup, kind: 'ClusterRole', name: 'view' } },
  clusterroles: { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  rolebindings: { subjects, roleRef: { apiGroup, kind: 'Role', name: 'r' } },
  roles: { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  customresourcedefinitions: {
    metadata: { name: 'as.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'as', kind: 'A' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  },
  apiservices: {
    metadata: { name: 'v1.example.com' },
    spec: {
      group: 'example.com',
      version: 'v1',
      service: { namespace: 'n', name: 's' },
      groupPriorityMinimum: 1,
      versionPriority: 1,
      insecureSkipTLSVerify: true,
    },
  },
  endpoints: { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  persistentvolumeclaims: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: storage } },
  },
  persistentvolumes: {
    spec: { capacity: storage, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  },
  podtemplates: { template },
  replicationcontrollers: { spec: { selector: labels, template } },
  resourcequotas: { spec: { hard: { pods: '1' } } },
  services: { spec: { ports: [{ port: 80 }] } },
  controllerrevisions: { revision: 1, data: { a: 1 } },
  daemonsets: workload,
  deployments: workload,
  replicasets: workload,
  statefulsets: { spec: { selector, template, serviceName: 's' } },
  ingresses: {
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  },
  ingressclasses: { spec: { controller: 'example.com/c' } },
  networkpolicies: { spec: { podSelector: {} } },
  'runtimeclasses/node/v1': { handler: 'h' },
  'runtimeclasses/node/v1beta1': { handler: 'h' },
  priorityclasses: { value: 1 },
  csidrivers: { spec: {} },
  csinodes: { spec: { drivers: [] } },
  csistoragecapacities: { storageClassName: 's' },
  storageclasses: { provisioner: 'example.com/p' },
  volumeattachments: {
    spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
  },
  poddisruptionbudgets: { spec: { minAvailable: 1, selector } },
  endpointslices: { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ port: 80 }] },
  mutatingwebhookconfigurations: { webhooks: [webhook] },
  validatingwebhookconfigurations: { webhooks: [webhook] },
  podsecuritypolicies: {
    spec: {
      seLinux: { rule: 'RunAsAny' },
      runAsUser: { rule: 'RunAsAny' },
      supplementalGroups: { rule: 'RunAsAny' },
      fsGroup: { rule: 'RunAsAny' },
    },
  },
  horizontalpodautoscalers: { spec: { scaleTargetRef: target, maxReplicas: 3 } },
};

/** Returns a new valid object of the kind, named `a` unless the kind prescribes its name. For tests. */
export function exampleOf({ plural, group, version }: AnyKind): { metadata: { name: string } } {
  const found = EXAMPLES[`${plural}/${group}/${version}`] ?? EXAMPLES[plural] ?? {};
  return structuredClone({ metadata: { name: 'a' }, ...(typeof found === 'function' ? found() : found) });
}

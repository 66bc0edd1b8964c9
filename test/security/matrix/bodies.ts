import { generateKeyPair } from '../../../base/pki/keys.ts';
import { createCertificateRequest } from '../../../base/pki/request.ts';

/** Body that a row names. A PATCH without a type sends it as a merge patch. */
export interface Body {
  readonly content: object;
  readonly type?: string;
}

const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const apiGroup = 'rbac.authorization.k8s.io';
const container = { name: 'c', image: 'i' };
const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const metadata = { name: 'fresh' };

const role = (...rules: readonly object[]): Body => ({ content: { metadata, rules } });
const binding = (name: string, kind = 'ClusterRole'): Body => ({
  content: {
    metadata,
    subjects: [{ kind: 'User', apiGroup, name: 'mallory' }],
    roleRef: { apiGroup, kind, name },
  },
});
const label = (key: string): Body => ({ content: { metadata: { labels: { [key]: 'x' } } } });
const mirror = (spec: object): Body => ({
  content: {
    metadata: { ...metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } },
    spec: { containers: [container], ...spec },
  },
});

const csr = (): string =>
  createCertificateRequest(generateKeyPair('ec-p256'), {
    commonName: 'system:node:n9',
    organizations: ['system:nodes'],
  });

/** Bodies by the name that rows use. */
export const bodies: { readonly [name: string]: Body } = {
  'role-get-pods': role({ verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
  'role-read-pods': role({ verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] }),
  'role-nodes': role({ verbs: ['get', 'list'], apiGroups: [''], resources: ['nodes'] }),
  'role-everything': role(everything),
  'role-paths': role({ verbs: ['get'], nonResourceURLs: ['/metrics'] }),
  'role-escalate': role({ verbs: ['escalate', 'bind'], apiGroups: [apiGroup], resources: ['clusterroles'] }),
  'role-aggregating': {
    content: {
      metadata,
      rules: [],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  },
  'bind-view': binding('view'),
  'bind-edit': binding('edit'),
  'bind-admin': binding('admin'),
  'bind-cluster-admin': binding('cluster-admin'),
  'bind-readers': binding('readers-of-pods'),
  'bind-one-map': binding('one-map', 'Role'),
  'bind-absent': binding('absent'),
  'more-rules': { content: { rules: [everything] } },
  'apply-more-rules': { content: { rules: [everything] }, type: APPLY },
  'json-more-rules': {
    content: [{ op: 'add', path: '/rules/-', value: everything }],
    type: JSON_PATCH,
  },
  aggregate: { content: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } } },
  'more-subjects': { content: { subjects: [{ kind: 'User', apiGroup, name: 'mallory' }] } },
  'apply-more-subjects': {
    content: {
      subjects: [{ kind: 'User', apiGroup, name: 'mallory' }],
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    },
    type: APPLY,
  },
  'apply-map': { content: { data: { a: 'b' } }, type: APPLY },
  scale: { content: { spec: { replicas: 2 } } },
  capacity: { content: { status: { capacity: { storage: '1Gi' } } } },
  phase: { content: { status: { phase: 'Running' } } },
  taint: { content: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } } },
  'zone-label': label('topology.kubernetes.io/zone'),
  'restricted-label': label('node-restriction.kubernetes.io/tier'),
  'role-label': label('node-role.kubernetes.io/control-plane'),
  'mirror-of-n2': mirror({ nodeName: 'n2' }),
  'mirror-unowned': mirror({ nodeName: 'n1' }),
  csr: {
    content: {
      metadata,
      spec: {
        request: Buffer.from(csr()).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
      },
    },
  },
};

/** Valid new object of each resource, for rows without a body. */
const FRESH: { readonly [resource: string]: object } = {
  pods: { spec: { containers: [container] } },
  services: { spec: { ports: [{ port: 80 }] } },
  persistentvolumeclaims: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  deployments: {
    spec: {
      selector: { matchLabels: { app: 'fresh' } },
      template: { metadata: { labels: { app: 'fresh' } }, spec: { containers: [container] } },
    },
  },
  jobs: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
  networkpolicies: { spec: { podSelector: {} } },
  events: { involvedObject: { namespace: 'team' }, reason: 'r' },
};
const REVIEWS: { readonly [resource: string]: object } = {
  selfsubjectaccessreviews: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
  subjectaccessreviews: { spec: { user: 'x', nonResourceAttributes: { path: '/', verb: 'get' } } },
  localsubjectaccessreviews: {
    metadata: { namespace: 'team' },
    spec: { user: 'x', resourceAttributes: { namespace: 'team', verb: 'get', resource: 'pods' } },
  },
  selfsubjectrulesreviews: { spec: { namespace: 'team' } },
  tokenreviews: { spec: { token: 'x' } },
};

/** Returns the body of a row that names none. */
export function defaultBody(method: string, resource: string, subresource: string, name: string): Body {
  if (method === 'PATCH') return label('seen');
  if (subresource === 'eviction') return { content: { metadata: { name } } };
  if (subresource === 'token') return { content: { spec: {} } };
  if (Object.hasOwn(REVIEWS, resource)) return { content: REVIEWS[resource] ?? {} };
  return { content: { metadata, ...(Object.hasOwn(FRESH, resource) ? FRESH[resource] : {}) } };
}

/** An object, and the path at which it is created. */
export interface Placed {
  readonly path: string;
  readonly object: object;
}

const core = '/api/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const inTeam = `${core}/namespaces/team`;
const data = (text: string): string => Buffer.from(text).toString('base64');
const named = (path: string, name: string, rest: object = {}): Placed => ({
  path,
  object: { metadata: { name }, ...rest },
});

const container = { name: 'c', image: 'i' };
const podOn = (nodeName: string, name: string, spec: object = {}): Placed =>
  named(`${inTeam}/pods`, name, { spec: { nodeName, containers: [container], ...spec } });

const bootstrapToken = (id: string, rest: object): Placed =>
  named(`${core}/namespaces/kube-system/secrets`, `bootstrap-token-${id}`, {
    type: 'bootstrap.kubernetes.io/token',
    data: { 'token-id': data(id), 'token-secret': data('0123456789abcdef'), ...rest },
  });

const workload = {
  selector: { matchLabels: { app: 'web' } },
  template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
};

/**
 * Objects in two namespaces. Node n1 runs the pod `web`, which uses the account `robot`, the Secret `tls`,
 * the ConfigMap `app` and the claim `data`. That claim is bound to the volume `vol`, which the Secret `mount`
 * mounts. Node n2 runs `far` with the Secret `far`. No pod uses the Secret `idle`.
 */
export const objects: readonly Placed[] = [
  named(`${core}/namespaces`, 'team'),
  named(`${core}/namespaces`, 'other'),
  ...['robot', 'gone'].map((name) => named(`${inTeam}/serviceaccounts`, name)),
  named(`${inTeam}/serviceaccounts`, 'default'),
  named(`${core}/namespaces/other/serviceaccounts`, 'default'),
  ...['tls', 'far', 'idle', 'mount'].map((name) => named(`${inTeam}/secrets`, name)),
  named(`${core}/namespaces/other/secrets`, 'tls'),
  ...['app', 'spare'].map((name) => named(`${inTeam}/configmaps`, name)),
  named(`${core}/namespaces/other/configmaps`, 'app'),
  named(`${inTeam}/persistentvolumeclaims`, 'data', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  named(`${core}/persistentvolumes`, 'vol', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: 'team', name: 'data' },
      csi: {
        driver: 'd.example.com',
        volumeHandle: 'h',
        nodePublishSecretRef: { namespace: 'team', name: 'mount' },
        controllerPublishSecretRef: { namespace: 'team', name: 'idle' },
      },
    },
  }),
  named(`${core}/nodes`, 'n1'),
  named(`${core}/nodes`, 'n2'),
  podOn('n1', 'web', {
    serviceAccountName: 'robot',
    volumes: [
      { name: 's', secret: { secretName: 'tls' } },
      { name: 'c', configMap: { name: 'app' } },
      { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
    ],
  }),
  podOn('n2', 'far', { volumes: [{ name: 's', secret: { secretName: 'far' } }] }),
  named(`${inTeam}/services`, 'web', { spec: { ports: [{ port: 80 }] } }),
  named('/apis/apps/v1/namespaces/team/deployments', 'web', { spec: workload }),
  named('/apis/batch/v1/namespaces/team/jobs', 'job', {
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  }),
  ...['n1', 'n2'].flatMap((name) => [
    named('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', name),
    named('/apis/storage.k8s.io/v1/csinodes', name, { spec: { drivers: [] } }),
    named('/apis/storage.k8s.io/v1/volumeattachments', `at-${name}`, {
      spec: { attacher: 'd.example.com', nodeName: name, source: { persistentVolumeName: 'vol' } },
    }),
  ]),
  bootstrapToken('joiner', { 'usage-bootstrap-authentication': data('true') }),
  bootstrapToken('signer', { 'usage-bootstrap-signing': data('true') }),
  bootstrapToken('stale1', {
    'usage-bootstrap-authentication': data('true'),
    expiration: data('2020-01-01T00:00:00Z'),
  }),
];

type Rule = Readonly<Record<string, readonly string[]>>;
const apiGroup = 'rbac.authorization.k8s.io';
const user = (name: string) => ({ kind: 'User', apiGroup, name });
const group = (name: string) => ({ kind: 'Group', apiGroup, name });

const clusterRole = (name: string, ...rules: readonly Rule[]): Placed =>
  named(`${rbac}/clusterroles`, name, { rules });
const bindCluster = (name: string, role: string, subject: object): Placed =>
  named(`${rbac}/clusterrolebindings`, name, {
    subjects: [subject],
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  });
const bindInTeam = (name: string, role: string, subject: object, kind = 'ClusterRole'): Placed =>
  named(`${rbac}/namespaces/team/rolebindings`, name, {
    subjects: [subject],
    roleRef: { apiGroup, kind, name: role },
  });

/** Roles and bindings in addition to those that every cluster has. */
export const bindings: readonly Placed[] = [
  bindInTeam('viewers', 'view', user('viewer')),
  bindInTeam('editors', 'edit', user('editor')),
  bindInTeam('admins', 'admin', user('nsadmin')),
  bindCluster('auditors', 'view', user('auditor')),
  bindCluster('roots', 'cluster-admin', user('root')),
  named(`${rbac}/namespaces/team/roles`, 'one-map', {
    rules: [
      {
        verbs: ['get', 'list', 'watch', 'update', 'patch'],
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['app'],
      },
      { verbs: ['create'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['fresh'] },
      { verbs: ['get'], apiGroups: [''], resources: ['pods/log'] },
    ],
  }),
  bindInTeam('robots', 'one-map', { kind: 'ServiceAccount', name: 'robot' }, 'Role'),
  clusterRole(
    'deputy',
    { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['viewer'] },
    { verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: ['devs'] },
    {
      verbs: ['impersonate'],
      apiGroups: ['authentication.k8s.io'],
      resources: ['userextras/scopes'],
      resourceNames: ['read'],
    },
  ),
  bindCluster('deputies', 'deputy', user('deputy')),
  clusterRole('granter', {
    verbs: ['get', 'create', 'update', 'patch'],
    apiGroups: [apiGroup],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  }),
  bindCluster('granters', 'granter', user('granter')),
  clusterRole('readers-of-pods', { verbs: ['get'], apiGroups: [''], resources: ['pods'] }),
  bindCluster('granters-read-pods', 'readers-of-pods', user('granter')),
  clusterRole('binder', {
    verbs: ['bind'],
    apiGroups: [apiGroup],
    resources: ['clusterroles'],
    resourceNames: ['view'],
  }),
  bindCluster('granters-bind-view', 'binder', user('granter')),
  clusterRole(
    'operations',
    { verbs: ['get', 'update', 'patch'], apiGroups: ['*'], resources: ['*/scale'] },
    { verbs: ['list'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*'] },
    { verbs: ['deletecollection'], apiGroups: [''], resources: ['pods'] },
  ),
  bindCluster('operations', 'operations', group('operators')),
  bindInTeam('devs-read-pods', 'readers-of-pods', group('devs')),
  bindCluster('joiners', 'system:node-bootstrapper', group('system:bootstrappers')),
];

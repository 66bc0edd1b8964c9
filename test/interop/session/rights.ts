import { type Chapter } from './step.ts';

const role = (verbs: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'reader', namespace: 'default' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'reader', namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
      },
    ],
  });

/** Chapter about reviewing and granting permissions. */
export const rights: Chapter = {
  title: 'rights',
  steps: [
    { run: 'auth can-i create pods', says: 'yes' },
    { run: 'auth can-i get /metrics', says: 'yes' },
    { run: 'auth can-i create pods --as=jane', code: 1, says: 'no' },
    { run: 'auth can-i create pods --as=jane -q', code: 1, says: '' },
    {
      run: 'auth can-i --list',
      says: 'Resources Non-Resource URLs Resource Names Verbs\n*.* [] [] [*]\n                                                [*] [] [*]\n                                                [*] [] [*]\nselfsubjectreviews.authentication.k8s.io [] [] [create]\nselfsubjectaccessreviews.authorization.k8s.io [] [] [create]\nselfsubjectrulesreviews.authorization.k8s.io [] [] [create]\n                                                [/api/*] [] [get]\n                                                [/api] [] [get]\n                                                [/apis/*] [] [get]\n                                                [/apis] [] [get]\n                                                [/healthz] [] [get]\n                                                [/healthz] [] [get]\n                                                [/livez] [] [get]\n                                                [/livez] [] [get]\n                                                [/openapi/*] [] [get]\n                                                [/openapi] [] [get]\n                                                [/readyz] [] [get]\n                                                [/readyz] [] [get]\n                                                [/version/] [] [get]\n                                                [/version/] [] [get]\n                                                [/version] [] [get]\n                                                [/version] [] [get]',
    },
    {
      run: 'auth can-i --list --as=jane',
      says: 'Resources Non-Resource URLs Resource Names Verbs\nselfsubjectreviews.authentication.k8s.io [] [] [create]\nselfsubjectaccessreviews.authorization.k8s.io [] [] [create]\nselfsubjectrulesreviews.authorization.k8s.io [] [] [create]\n                                                [/api/*] [] [get]\n                                                [/api] [] [get]\n                                                [/apis/*] [] [get]\n                                                [/apis] [] [get]\n                                                [/healthz] [] [get]\n                                                [/healthz] [] [get]\n                                                [/livez] [] [get]\n                                                [/livez] [] [get]\n                                                [/openapi/*] [] [get]\n                                                [/openapi] [] [get]\n                                                [/readyz] [] [get]\n                                                [/readyz] [] [get]\n                                                [/version/] [] [get]\n                                                [/version/] [] [get]\n                                                [/version] [] [get]\n                                                [/version] [] [get]\nnodes [] [] [get]',
    },
    {
      run: 'auth reconcile -f - --dry-run=client',
      stdin: role(['get']),
      says: 'role.rbac.authorization.k8s.io/reader reconciled (dry run)\nrolebinding.rbac.authorization.k8s.io/reader reconciled (dry run)',
    },
    {
      run: 'auth reconcile -f -',
      stdin: role(['get']),
      says: 'role.rbac.authorization.k8s.io/reader reconciled\nrolebinding.rbac.authorization.k8s.io/reader reconciled',
    },
    { run: 'auth can-i get pods --as=jane', says: 'yes', eventually: true },
    {
      run: 'auth reconcile -f -',
      stdin: role(['list']),
      says: 'role.rbac.authorization.k8s.io/reader reconciled\nrolebinding.rbac.authorization.k8s.io/reader reconciled',
    },
    {
      run: 'auth reconcile -f - --remove-extra-permissions',
      stdin: role(['list']),
      says: 'role.rbac.authorization.k8s.io/reader reconciled\nrolebinding.rbac.authorization.k8s.io/reader reconciled',
    },
    { run: 'auth can-i get pods --as=jane', code: 1, says: 'no', eventually: true },
    { run: 'auth can-i list pods --as=jane', says: 'yes', eventually: true },
    { run: 'auth can-i list pods --as=other --as-group=system:masters', says: 'yes' },
    { run: 'get pods --as=jane -o name', code: 0 },
    {
      run: 'get secrets --as=jane',
      code: 1,
      warns:
        'Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "default"',
    },
    {
      run: 'get nodes --as=jane',
      code: 1,
      warns:
        'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    },
    {
      run: 'get --raw /metrics --as=jane',
      code: 1,
      warns: 'Error from server (Forbidden): forbidden: User "jane" cannot get path "/metrics"',
    },
    { run: 'get pods --as-group=team', code: 1, warns: /requesting/ },
    { run: 'config set-credentials nobody --token=wrong', since: 24, says: 'User "nobody" set.' },
    {
      run: '--user=nobody get pods',
      since: 24,
      code: 1,
      warns: 'error: You must be logged in to the server (Unauthorized)',
    },
    {
      run: 'create role widened --verb=get --resource=secrets --as=jane',
      code: 1,
      warns:
        /roles\.rbac\.authorization\.k8s\.io is forbidden: User "jane" cannot create resource "roles" in API group "rbac\.authorization\.k8s\.io" in the namespace "default"/,
    },

    {
      run: 'create -f csr.json',
      says: 'certificatesigningrequest.certificates.k8s.io/wanted created\ncertificatesigningrequest.certificates.k8s.io/unwanted created',
    },
    {
      run: 'get csr',
      says: 'NAME AGE SIGNERNAME REQUESTOR REQUESTEDDURATION CONDITION\nunwanted <age> kubernetes.io/kube-apiserver-client kubernetes-admin <none> Pending\nwanted <age> kubernetes.io/kube-apiserver-client kubernetes-admin <none> Pending',
    },
    {
      run: 'certificate approve wanted',
      says: 'certificatesigningrequest.certificates.k8s.io/wanted approved',
    },
    {
      run: 'certificate deny unwanted',
      says: 'certificatesigningrequest.certificates.k8s.io/unwanted denied',
    },
    { run: 'get csr wanted', says: /Approved,Issued$/, eventually: true },
    { run: 'get csr unwanted', says: /Denied$/ },
    { run: 'certificate approve unwanted', code: 1, warns: /./ },
    {
      run: 'describe csr wanted',
      says: 'Name: wanted\nLabels: <none>\nAnnotations: <none>\nCreationTimestamp: <time>\nRequesting User: kubernetes-admin\nSigner: kubernetes.io/kube-apiserver-client\nStatus: Approved,Issued\nSubject:\n         Common Name: wanted\n         Serial Number:\n         Organization: team\nEvents: <none>',
    },
  ],
};

import type { Section } from './section.ts';

/** Requests by ServiceAccounts, bootstrap tokens and cluster components. */
export const accounts: readonly Section[] = [
  {
    who: 'robot',
    shows: 'a service account reaches only the named objects in its namespace',
    rows: `
  GET    /api/v1                                                           200  system:discovery
  GET    /.well-known/openid-configuration                                 200  system:service-account-issuer-discovery
  GET    /openid/v1/jwks                                                   200  system:service-account-issuer-discovery
  POST   /apis/authorization.k8s.io/v1/selfsubjectaccessreviews            201  system:basic-user
  GET    /api/v1/namespaces/team/configmaps/app                            200  robots
  PUT    /api/v1/namespaces/team/configmaps/app                            200  robots
  PATCH  /api/v1/namespaces/team/configmaps/app                            200  robots
  DELETE /api/v1/namespaces/team/configmaps/app                            403  delete configmaps in team
  GET    /api/v1/namespaces/team/configmaps/spare                          403  get configmaps in team
  GET    /api/v1/namespaces/team/configmaps/absent                         403  get configmaps in team
  PUT    /api/v1/namespaces/team/configmaps/spare                          403  update configmaps in team
  GET    /api/v1/namespaces/team/configmaps                                403  list configmaps in team
  GET    /api/v1/namespaces/team/configmaps?fieldSelector=metadata.name%3Dapp 200 robots
  GET    /api/v1/namespaces/team/configmaps?fieldSelector=metadata.name%3Dspare 403 list configmaps in team
  GET    /api/v1/namespaces/team/configmaps?watch=true&fieldSelector=metadata.name%3Dapp 200 robots
  GET    /api/v1/namespaces/team/configmaps?watch=true                     403  watch configmaps in team
  DELETE /api/v1/namespaces/team/configmaps                                403  deletecollection configmaps in team
  POST   /api/v1/namespaces/team/configmaps                                403  create configmaps in team
  GET    /api/v1/namespaces/other/configmaps/app                           403  get configmaps in other
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/namespaces/team/pods                                      403  list pods in team
  GET    /api/v1/namespaces/team/pods/web                                  403  get pods in team
  GET    /api/v1/namespaces/team/serviceaccounts/robot                     403  get serviceaccounts in team
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               403  create serviceaccounts/token in team
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings <bind-view> 403 create rolebindings.rbac.authorization.k8s.io in team
  GET    /metrics                                                          403  get path
`,
  },
  {
    who: 'joiner',
    shows: 'a bootstrap token requests a certificate, and nothing else',
    rows: `
  GET    /api                                                              200  system:discovery
  GET    /apis/certificates.k8s.io/v1/certificatesigningrequests           200  joiners
  POST   /apis/certificates.k8s.io/v1/certificatesigningrequests <csr>     201  joiners
  PUT    /apis/certificates.k8s.io/v1/certificatesigningrequests/absent/approval 403 update certificatesigningrequests/approval.certificates.k8s.io
  GET    /api/v1/nodes                                                     403  list nodes
  POST   /api/v1/nodes                                                     403  create nodes
  GET    /api/v1/namespaces/kube-system/secrets                            403  list secrets in kube-system
  GET    /api/v1/namespaces/kube-system/secrets/bootstrap-token-joiner     403  get secrets in kube-system
  GET    /api/v1/namespaces/kube-system/configmaps                         403  list configmaps in kube-system
`,
  },
  {
    who: 'controller manager',
    shows: 'the controller manager has its own permissions and those of its controllers',
    rows: `
  GET    /api/v1/pods                                                      200  system:kube-controller-manager
  GET    /api/v1/secrets                                                   200  system:kube-controller-manager
  GET    /apis/apps/v1/deployments?watch=true                              200  system:kube-controller-manager
  GET    /api/v1/namespaces/team/secrets/tls                               200  system:kube-controller-manager
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               201  system:kube-controller-manager
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       201  system:kube-controller-manager
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                201  system:kube-controller-manager
  POST   /apis/coordination.k8s.io/v1/namespaces/kube-system/leases        201  system:kube-controller-manager
  PUT    /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1 200  system:kube-controller-manager:generic-garbage-collector
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-cluster-admin> 403 create clusterrolebindings.rbac.authorization.k8s.io
  POST   /api/v1/nodes                                                     403  create nodes
  POST   /api/v1/namespaces/team/pods/web/exec                             403  create pods/exec in team
`,
  },
  {
    who: 'scheduler',
    shows: 'the scheduler reads pods and writes their status, and reads no secrets',
    rows: `
  GET    /api/v1/pods?watch=true                                           200  system:kube-scheduler
  GET    /api/v1/nodes                                                     200  system:kube-scheduler
  PATCH  /api/v1/namespaces/team/pods/web/status                           200  system:kube-scheduler
  POST   /api/v1/namespaces/team/events                                    201  system:kube-scheduler
  GET    /api/v1/persistentvolumes                                         200  system:volume-scheduler
  PATCH  /api/v1/persistentvolumes/vol                                     200  system:volume-scheduler
  GET    /api/v1/secrets                                                   403  list secrets
  GET    /api/v1/configmaps                                                403  list configmaps
  POST   /api/v1/namespaces/team/pods                                      403  create pods in team
  PATCH  /api/v1/namespaces/team/pods/web                                  403  patch pods in team
  PATCH  /api/v1/nodes/n1                                                  403  patch nodes
`,
  },
  {
    who: 'certificate of carol',
    shows: 'the organizations of a client certificate count as groups',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  200  devs-read-pods
  GET    /api/v1/namespaces/team/pods                                      403  list pods in team
  GET    /api/v1/namespaces/other/pods/web                                 403  get pods in other
  GET    /api                                                              200  system:discovery
`,
  },
];

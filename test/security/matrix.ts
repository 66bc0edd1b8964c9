/** Permissions of one credential. */
export interface Section {
  /** Name of a credential in `matrix-cluster.ts`. */
  readonly who: string;
  /** Property that the rows show. */
  readonly shows: string;
  /**
   * One line per request: method, path, the body's name if it matters (`<body>`, in `matrix-bodies.ts`),
   * status, and reason.
   *
   * The reason of a permitted request is the binding that allows it; `system:masters` or `Node` if no binding
   * does. The reason of a 403 is what the user cannot do (`list pods in team`, `list deployments.apps`, `get
   * path`), or the refusal's text after a colon. A 401 has no reason.
   *
   * Writes are dry runs, so that all rows see the same cluster. An update sends the object unchanged, a patch
   * sets a label.
   */
  readonly rows: string;
}

/** Rows that no invalid credential may pass. */
const REFUSED = `
  GET    /healthz                                                          401
  GET    /version                                                          401
  GET    /api/v1/namespaces                                                401
  GET    /api/v1/namespaces/team/secrets/tls                               401
  POST   /apis/authorization.k8s.io/v1/selfsubjectaccessreviews            401
`;

export const matrix: readonly Section[] = [
  {
    who: 'anonymous',
    shows: 'a request without a credential reads only health and version',
    rows: `
  GET    /healthz                                                          200  system:public-info-viewer
  GET    /livez                                                            200  system:public-info-viewer
  GET    /readyz                                                           200  system:public-info-viewer
  GET    /version                                                          200  system:public-info-viewer
  GET    /version/                                                         200  system:public-info-viewer
  HEAD   /version                                                          403  : 
  POST   /version                                                          403  post path
  GET    /healthz/ping                                                     403  get path
  GET    /livez/ping                                                       403  get path
  GET    /                                                                 403  get path
  GET    /api                                                              403  get path
  GET    /api/v1                                                           403  get path
  GET    /apis                                                             403  get path
  GET    /apis/apps                                                        403  get path
  GET    /apis/apps/v1                                                     403  get path
  GET    /openapi/v2                                                       403  get path
  GET    /metrics                                                          403  get path
  GET    /debug/pprof/                                                     403  get path
  GET    /no/such/path                                                     403  get path
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/team                                           403  get namespaces in team
  GET    /api/v1/pods                                                      403  list pods
  GET    /api/v1/pods?watch=true                                           403  watch pods
  GET    /api/v1/watch/pods                                                403  watch pods
  GET    /api/v1/nodes/n1                                                  403  get nodes
  GET    /api/v1/namespaces/team/secrets                                   403  list secrets in team
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/namespaces/team/secrets/absent                            403  get secrets in team
  GET    /api/v1/namespaces/absent/secrets/tls                             403  get secrets in absent
  GET    /api/v1/namespaces/kube-public/configmaps/cluster-info            200  system:bootstrap-signer-clusterinfo
  GET    /api/v1/namespaces/kube-public/configmaps                         403  list configmaps in kube-public
  POST   /api/v1/namespaces                                                403  create namespaces
  POST   /api/v1/namespaces/team/pods                                      403  create pods in team
  PUT    /api/v1/namespaces/team/configmaps/app                            403  update configmaps in team
  PATCH  /api/v1/namespaces/team/configmaps/app                            403  patch configmaps in team
  DELETE /api/v1/namespaces/team/configmaps/app                            403  delete configmaps in team
  DELETE /api/v1/namespaces/team/configmaps                                403  deletecollection configmaps in team
  POST   /apis/authorization.k8s.io/v1/selfsubjectaccessreviews            403  create selfsubjectaccessreviews.authorization.k8s.io
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                403  create subjectaccessreviews.authorization.k8s.io
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       403  create tokenreviews.authentication.k8s.io
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               403  create serviceaccounts/token in team
`,
  },
  {
    who: 'anonymous with a proxy header',
    shows: "proxy headers are ignored without the proxy's certificate",
    rows: `
  GET    /version                                                          200  system:public-info-viewer
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
  { who: 'unknown token', shows: 'an unknown token does not make an anonymous request', rows: REFUSED },
  {
    who: 'token of a recreated account',
    shows: 'a token is bound to the uid of its account, not to its name',
    rows: REFUSED,
  },
  { who: 'token for another audience', shows: 'a token is valid for its audience only', rows: REFUSED },
  {
    who: 'token with a foreign signature',
    shows: 'a token signed by an unknown key is refused',
    rows: REFUSED,
  },
  { who: 'token without a signature', shows: 'a token without a signature is refused', rows: REFUSED },
  {
    who: 'expired bootstrap token',
    shows: 'a bootstrap token is refused after its expiration',
    rows: REFUSED,
  },
  {
    who: 'bootstrap token for signing only',
    shows: 'a bootstrap token for signing does not authenticate',
    rows: REFUSED,
  },
  {
    who: 'certificate of a foreign authority',
    shows: "the administrator's certificate of another cluster is refused",
    rows: REFUSED,
  },
  { who: 'expired certificate', shows: 'an expired certificate is refused', rows: REFUSED },
  {
    who: 'empty token',
    shows: 'an empty token counts as no credential',
    rows: `
  GET    /version                                                          200  system:public-info-viewer
  GET    /api/v1/namespaces                                                403  list namespaces
`,
  },
  {
    who: 'alice',
    shows: 'an authenticated user without bindings reads discovery and reviews her own access',
    rows: `
  GET    /api                                                              200  system:discovery
  GET    /api/v1                                                           200  system:discovery
  GET    /apis                                                             200  system:discovery
  GET    /apis/apps                                                        200  system:discovery
  GET    /apis/apps/v1                                                     200  system:discovery
  GET    /apis/rbac.authorization.k8s.io/v1                                200  system:discovery
  GET    /openapi/v2                                                       200  system:discovery
  GET    /openapi/v3                                                       200  system:discovery
  GET    /version                                                          200  system:discovery
  GET    /healthz                                                          200  system:discovery
  GET    /livez                                                            200  system:discovery
  GET    /readyz                                                           200  system:discovery
  POST   /apis/authorization.k8s.io/v1/selfsubjectaccessreviews            201  system:basic-user
  POST   /apis/authorization.k8s.io/v1/selfsubjectrulesreviews             201  system:basic-user
  POST   /apis/authentication.k8s.io/v1/selfsubjectreviews                 201  system:basic-user
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                403  create subjectaccessreviews.authorization.k8s.io
  POST   /apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews 403 create localsubjectaccessreviews.authorization.k8s.io in team
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       403  create tokenreviews.authentication.k8s.io
  GET    /metrics                                                          403  get path
  GET    /healthz/ping                                                     403  get path
  GET    /readyz/ping                                                      403  get path
  GET    /logs/                                                            403  get path
  GET    /debug/pprof/                                                     403  get path
  GET    /debug/api_priority_and_fairness/dump_requests                    403  get path
  POST   /api                                                              403  post path
  DELETE /apis/apps                                                        403  delete path
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces?watch=true                                     403  watch namespaces
  GET    /api/v1/namespaces/team                                           403  get namespaces in team
  GET    /api/v1/nodes                                                     403  list nodes
  GET    /api/v1/persistentvolumes                                         403  list persistentvolumes
  GET    /api/v1/pods                                                      403  list pods
  GET    /api/v1/secrets                                                   403  list secrets
  GET    /api/v1/namespaces/team/pods                                      403  list pods in team
  GET    /api/v1/namespaces/team/pods?watch=true                           403  watch pods in team
  GET    /api/v1/watch/namespaces/team/pods                                403  watch pods in team
  GET    /api/v1/namespaces/team/pods/web                                  403  get pods in team
  HEAD   /api/v1/namespaces/team/pods/web                                  403  : 
  GET    /api/v1/namespaces/team/pods/web/status                           403  get pods/status in team
  GET    /api/v1/namespaces/team/pods/web/log                              403  get pods/log in team
  POST   /api/v1/namespaces/team/pods/web/exec                             403  create pods/exec in team
  GET    /api/v1/namespaces/team/pods/web/exec                             403  get pods/exec in team
  POST   /api/v1/namespaces/team/pods/web/portforward                      403  create pods/portforward in team
  POST   /api/v1/namespaces/team/pods/web/eviction                         403  create pods/eviction in team
  POST   /api/v1/namespaces/team/pods/web/binding                          403  create pods/binding in team
  GET    /api/v1/namespaces/team/pods/absent                               403  get pods in team
  GET    /api/v1/namespaces/team/nonsense                                  403  list nonsense in team
  GET    /apis/example.com/v1/things                                       403  list things.example.com
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/namespaces/team/secrets?fieldSelector=metadata.name%3Dtls 403  list secrets in team
  GET    /api/v1/namespaces/team//secrets/tls                              403  : User "alice" cannot get resource "/tls" in API group "" in the namespace "team"
  POST   /api/v1/namespaces/team/pods                                      403  create pods in team
  PUT    /api/v1/namespaces/team/pods/web                                  403  update pods in team
  PATCH  /api/v1/namespaces/team/pods/web                                  403  patch pods in team
  DELETE /api/v1/namespaces/team/pods/web                                  403  delete pods in team
  DELETE /api/v1/namespaces/team/pods                                      403  deletecollection pods in team
  PATCH  /api/v1/namespaces/team/pods/web/status                           403  patch pods/status in team
  POST   /api/v1/namespaces                                                403  create namespaces
  DELETE /api/v1/namespaces/team                                           403  delete namespaces in team
  PUT    /api/v1/namespaces/team/finalize                                  403  update namespaces/finalize in team
  POST   /api/v1/nodes                                                     403  create nodes
  GET    /api/v1/nodes/n1/proxy/metrics                                    403  get nodes/proxy
  GET    /apis/apps/v1/deployments                                         403  list deployments.apps
  GET    /apis/apps/v1/namespaces/team/deployments/web/scale               403  get deployments/scale.apps in team
  PATCH  /apis/apps/v1/namespaces/team/deployments/web/scale               403  patch deployments/scale.apps in team
  GET    /apis/rbac.authorization.k8s.io/v1/clusterroles                   403  list clusterroles.rbac.authorization.k8s.io
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings            403  create clusterrolebindings.rbac.authorization.k8s.io
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles          403  create roles.rbac.authorization.k8s.io in team
  POST   /apis/certificates.k8s.io/v1/certificatesigningrequests           403  create certificatesigningrequests.certificates.k8s.io
  GET    /apis/coordination.k8s.io/v1/leases                               403  list leases.coordination.k8s.io
  GET    /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations 403 list mutatingwebhookconfigurations.admissionregistration.k8s.io
  GET    /apis/apiextensions.k8s.io/v1/customresourcedefinitions           403  list customresourcedefinitions.apiextensions.k8s.io
`,
  },
  {
    who: 'viewer',
    shows: 'the role view in one namespace reads everything except secrets there, and nothing elsewhere',
    rows: `
  GET    /api/v1/namespaces/team                                           200  viewers
  GET    /api/v1/namespaces/team/pods                                      200  viewers
  GET    /api/v1/namespaces/team/pods?watch=true                           200  viewers
  GET    /api/v1/watch/namespaces/team/pods?watch=true                     200  viewers
  GET    /api/v1/namespaces/team/pods/web                                  200  viewers
  GET    /api/v1/namespaces/team/pods/web/status                           200  viewers
  GET    /api/v1/namespaces/team/configmaps                                200  viewers
  GET    /api/v1/namespaces/team/configmaps/app                            200  viewers
  GET    /api/v1/namespaces/team/services                                  200  viewers
  GET    /api/v1/namespaces/team/endpoints                                 200  viewers
  GET    /api/v1/namespaces/team/serviceaccounts/robot                     200  viewers
  GET    /api/v1/namespaces/team/persistentvolumeclaims/data               200  viewers
  GET    /api/v1/namespaces/team/events                                    200  viewers
  GET    /api/v1/namespaces/team/limitranges                               200  viewers
  GET    /api/v1/namespaces/team/resourcequotas                            200  viewers
  GET    /apis/apps/v1/namespaces/team/deployments/web                     200  viewers
  GET    /apis/apps/v1/namespaces/team/deployments/web/scale               200  viewers
  GET    /apis/batch/v1/namespaces/team/jobs                               200  viewers
  GET    /apis/networking.k8s.io/v1/namespaces/team/ingresses              200  viewers
  GET    /apis/policy/v1/namespaces/team/poddisruptionbudgets              200  viewers
  GET    /apis/discovery.k8s.io/v1/namespaces/team/endpointslices          200  viewers
  GET    /api/v1/namespaces/team/secrets                                   403  list secrets in team
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/namespaces/team/secrets?watch=true                        403  watch secrets in team
  GET    /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles          403  list roles.rbac.authorization.k8s.io in team
  GET    /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings   403  list rolebindings.rbac.authorization.k8s.io in team
  GET    /api/v1/pods                                                      403  list pods
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/other                                          403  get namespaces in other
  GET    /api/v1/namespaces/other/pods                                     403  list pods in other
  GET    /api/v1/namespaces/other/configmaps/app                           403  get configmaps in other
  GET    /api/v1/namespaces/kube-system/configmaps                         403  list configmaps in kube-system
  GET    /api/v1/nodes                                                     403  list nodes
  GET    /api/v1/persistentvolumes/vol                                     403  get persistentvolumes
  POST   /api/v1/namespaces/team/configmaps                                403  create configmaps in team
  PUT    /api/v1/namespaces/team/configmaps/app                            403  update configmaps in team
  PATCH  /api/v1/namespaces/team/configmaps/app                            403  patch configmaps in team
  DELETE /api/v1/namespaces/team/configmaps/app                            403  delete configmaps in team
  DELETE /api/v1/namespaces/team/pods                                      403  deletecollection pods in team
  POST   /api/v1/namespaces/team/pods/web/exec                             403  create pods/exec in team
  GET    /api/v1/namespaces/team/pods/web/exec                             403  get pods/exec in team
  GET    /api/v1/namespaces/team/services/web/proxy/                       403  get services/proxy in team
  POST   /api/v1/namespaces/team/pods/web/eviction                         403  create pods/eviction in team
  PATCH  /apis/apps/v1/namespaces/team/deployments/web/scale               403  patch deployments/scale.apps in team
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               403  create serviceaccounts/token in team
  DELETE /api/v1/namespaces/team                                           403  delete namespaces in team
`,
  },
  {
    who: 'editor',
    shows: 'the role edit in one namespace writes workloads and secrets there, but no permissions',
    rows: `
  GET    /api/v1/namespaces/team/secrets                                   200  editors
  GET    /api/v1/namespaces/team/secrets/tls                               200  editors
  GET    /api/v1/namespaces/team/pods                                      200  editors
  POST   /api/v1/namespaces/team/secrets                                   201  editors
  POST   /api/v1/namespaces/team/configmaps                                201  editors
  PUT    /api/v1/namespaces/team/configmaps/app                            200  editors
  PATCH  /api/v1/namespaces/team/configmaps/app                            200  editors
  PATCH  /api/v1/namespaces/team/configmaps/app <apply-map>                200  editors
  DELETE /api/v1/namespaces/team/configmaps/app                            200  editors
  DELETE /api/v1/namespaces/team/configmaps                                200  editors
  POST   /api/v1/namespaces/team/pods                                      201  editors
  PATCH  /api/v1/namespaces/team/pods/web                                  200  editors
  DELETE /api/v1/namespaces/team/pods/web                                  200  editors
  POST   /api/v1/namespaces/team/services                                  201  editors
  POST   /api/v1/namespaces/team/serviceaccounts                           201  editors
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               201  editors
  POST   /api/v1/namespaces/team/persistentvolumeclaims                    201  editors
  POST   /apis/apps/v1/namespaces/team/deployments                         201  editors
  PATCH  /apis/apps/v1/namespaces/team/deployments/web                     200  editors
  PATCH  /apis/apps/v1/namespaces/team/deployments/web/scale <scale>       200  editors
  DELETE /apis/apps/v1/namespaces/team/deployments                         200  editors
  POST   /apis/batch/v1/namespaces/team/jobs                               201  editors
  DELETE /apis/batch/v1/namespaces/team/jobs/job                           200  editors
  POST   /apis/networking.k8s.io/v1/namespaces/team/networkpolicies        201  editors
  PATCH  /api/v1/namespaces/team/pods/web/status                           403  patch pods/status in team
  PATCH  /apis/apps/v1/namespaces/team/deployments/web/status              403  patch deployments/status.apps in team
  POST   /api/v1/namespaces/team/pods/web/eviction                         403  create pods/eviction in team
  POST   /api/v1/namespaces/team/pods/web/binding                          403  create pods/binding in team
  POST   /api/v1/namespaces/team/resourcequotas                            403  create resourcequotas in team
  POST   /api/v1/namespaces/team/limitranges                               403  create limitranges in team
  GET    /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles          403  list roles.rbac.authorization.k8s.io in team
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles          403  create roles.rbac.authorization.k8s.io in team
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings   403  create rolebindings.rbac.authorization.k8s.io in team
  POST   /apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews 403 create localsubjectaccessreviews.authorization.k8s.io in team
  PATCH  /api/v1/namespaces/team                                           403  patch namespaces in team
  DELETE /api/v1/namespaces/team                                           403  delete namespaces in team
  GET    /api/v1/secrets                                                   403  list secrets
  GET    /api/v1/namespaces/other/secrets/tls                              403  get secrets in other
  POST   /api/v1/namespaces/other/configmaps                               403  create configmaps in other
  PUT    /api/v1/namespaces/other/configmaps/app                           403  update configmaps in other
  DELETE /api/v1/namespaces/other/configmaps                               403  deletecollection configmaps in other
  POST   /api/v1/namespaces/kube-system/pods                               403  create pods in kube-system
  POST   /api/v1/namespaces                                                403  create namespaces
  GET    /api/v1/nodes                                                     403  list nodes
`,
  },
  {
    who: 'nsadmin',
    shows: 'the role admin in one namespace grants only its own permissions there',
    rows: `
  GET    /api/v1/namespaces/team/secrets/tls                               200  admins
  GET    /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles          200  admins
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles <role-read-pods> 201 admins
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles <role-everything> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles <role-nodes> 403 : {APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings <bind-view> 201 admins
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings <bind-admin> 201 admins
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings <bind-cluster-admin> 403 : is attempting to grant RBAC permissions not currently held
  PATCH  /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/one-map  200  admins
  PATCH  /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/one-map <more-rules> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  PATCH  /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/one-map <apply-more-rules> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  PATCH  /apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/one-map <json-more-rules> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  DELETE /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings/viewers 200 admins
  POST   /apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews 201 admins
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                403  create subjectaccessreviews.authorization.k8s.io
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-read-pods>  403  create clusterroles.rbac.authorization.k8s.io
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-view> 403 create clusterrolebindings.rbac.authorization.k8s.io
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/other/rolebindings <bind-view> 403 create rolebindings.rbac.authorization.k8s.io in other
  POST   /api/v1/namespaces/team/resourcequotas                            403  create resourcequotas in team
  DELETE /api/v1/namespaces/team                                           403  delete namespaces in team
  GET    /api/v1/namespaces/other/secrets/tls                              403  get secrets in other
  GET    /api/v1/secrets                                                   403  list secrets
`,
  },
  {
    who: 'auditor',
    shows: 'the role view in the cluster reads every namespace, but no secrets',
    rows: `
  GET    /api/v1/pods                                                      200  auditors
  GET    /api/v1/namespaces                                                200  auditors
  GET    /api/v1/namespaces?watch=true                                     200  auditors
  GET    /api/v1/namespaces/other/pods                                     200  auditors
  GET    /api/v1/namespaces/kube-system/configmaps                         200  auditors
  GET    /apis/apps/v1/deployments                                         200  auditors
  GET    /api/v1/configmaps?watch=true                                     200  auditors
  GET    /api/v1/secrets                                                   403  list secrets
  GET    /api/v1/namespaces/kube-system/secrets                            403  list secrets in kube-system
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/nodes                                                     403  list nodes
  GET    /api/v1/persistentvolumes                                         403  list persistentvolumes
  GET    /apis/rbac.authorization.k8s.io/v1/clusterroles                   403  list clusterroles.rbac.authorization.k8s.io
  GET    /apis/storage.k8s.io/v1/storageclasses                            403  list storageclasses.storage.k8s.io
  POST   /api/v1/namespaces/other/configmaps                               403  create configmaps in other
  DELETE /api/v1/namespaces/other/pods                                     403  deletecollection pods in other
`,
  },
  {
    who: 'root',
    shows: 'the role cluster-admin in the cluster may do everything',
    rows: `
  GET    /metrics                                                          200  roots
  GET    /healthz/ping                                                     200  roots
  GET    /api/v1/secrets                                                   200  roots
  GET    /api/v1/nodes                                                     200  roots
  GET    /api/v1/namespaces/kube-system/secrets                            200  roots
  GET    /apis/rbac.authorization.k8s.io/v1/clusterroles                   200  roots
  POST   /api/v1/namespaces                                                201  roots
  POST   /api/v1/namespaces/team/pods                                      201  roots
  POST   /api/v1/namespaces/team/pods/far/eviction                         201  roots
  PATCH  /api/v1/namespaces/team/pods/web/status                           200  roots
  DELETE /api/v1/namespaces/team/secrets                                   200  roots
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-everything> 201  roots
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-aggregating> 201 roots
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-cluster-admin> 201 roots
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                201  roots
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       201  roots
  DELETE /api/v1/namespaces/kube-system                                    403  : this namespace may not be deleted
  DELETE /api/v1/namespaces/default                                        403  : this namespace may not be deleted
`,
  },
  {
    who: 'admin',
    shows: 'members of system:masters may do everything, whatever the roles',
    rows: `
  GET    /metrics                                                          200  system:masters
  GET    /api/v1/secrets                                                   200  system:masters
  GET    /api/v1/namespaces/team/secrets/tls                               200  system:masters
  POST   /api/v1/namespaces                                                201  system:masters
  DELETE /api/v1/namespaces/other                                          200  system:masters
  PATCH  /api/v1/nodes/n1                                                  200  system:masters
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-everything> 201  system:masters
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-cluster-admin> 201 system:masters
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-absent> 201 system:masters
  DELETE /apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin     200  system:masters
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       201  system:masters
`,
  },
  {
    who: 'granter',
    shows: 'a writer of roles and bindings grants only her own permissions',
    rows: `
  GET    /apis/rbac.authorization.k8s.io/v1/clusterroles/view              200  granters
  GET    /apis/rbac.authorization.k8s.io/v1/clusterroles                   403  list clusterroles.rbac.authorization.k8s.io
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-get-pods>   201  granters
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-read-pods>  403  : {APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-everything> 403  : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-paths>      403  : {NonResourceURLs:["/metrics"], Verbs:["get"]}
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-escalate>   403  : {APIGroups:["rbac.authorization.k8s.io"], Resources:["clusterroles"], Verbs:["escalate" "bind"]}
  POST   /apis/rbac.authorization.k8s.io/v1/clusterroles <role-aggregating> 403 : must have cluster-admin privileges to use the aggregationRule
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterroles/readers-of-pods   200  granters
  PUT    /apis/rbac.authorization.k8s.io/v1/clusterroles/readers-of-pods   200  granters
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterroles/readers-of-pods <more-rules> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterroles/readers-of-pods <apply-more-rules> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterroles/readers-of-pods <json-more-rules> 403 : {APIGroups:["*"], Resources:["*"], Verbs:["*"]}
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterroles/readers-of-pods <aggregate> 403 : must have cluster-admin privileges to use the aggregationRule
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterroles/fresh <apply-more-rules> 403 : is attempting to grant RBAC permissions not currently held
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-readers> 201 granters
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-view> 201 granters
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-edit> 403 : is attempting to grant RBAC permissions not currently held
  POST   /apis/rbac.authorization.k8s.io/v1/clusterrolebindings <bind-cluster-admin> 403 : is attempting to grant RBAC permissions not currently held
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/roots <more-subjects> 403 : is attempting to grant RBAC permissions not currently held
  PATCH  /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/roots <apply-more-subjects> 403 : is attempting to grant RBAC permissions not currently held
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings <bind-view> 201 granters
  POST   /apis/rbac.authorization.k8s.io/v1/namespaces/team/rolebindings <bind-one-map> 403 : is attempting to grant RBAC permissions not currently held
  DELETE /apis/rbac.authorization.k8s.io/v1/clusterrolebindings/roots      403  delete clusterrolebindings.rbac.authorization.k8s.io
  GET    /api/v1/namespaces/team/pods/web                                  200  granters-read-pods
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
  {
    who: 'operator',
    shows: 'rules with resource wildcards, path prefixes and groups apply exactly as written',
    rows: `
  GET    /apis/apps/v1/namespaces/team/deployments/web/scale               200  operations
  PATCH  /apis/apps/v1/namespaces/team/deployments/web/scale <scale>       200  operations
  GET    /apis/apps/v1/namespaces/team/deployments/web                     403  get deployments.apps in team
  PATCH  /apis/apps/v1/namespaces/team/deployments/web                     403  patch deployments.apps in team
  GET    /apis/apps/v1/namespaces/team/deployments/web/status              403  get deployments/status.apps in team
  GET    /api/v1/secrets                                                   200  operations
  GET    /api/v1/namespaces/team/secrets                                   200  operations
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/namespaces/team/secrets?watch=true                        403  watch secrets in team
  GET    /apis/apps/v1/deployments                                         200  operations
  GET    /api/v1/nodes                                                     200  operations
  GET    /metrics                                                          200  operations
  GET    /metrics/slis                                                     403  get path
  GET    /logs                                                             403  get path
  POST   /metrics                                                          403  post path
  DELETE /api/v1/namespaces/team/pods                                      200  operations
  DELETE /api/v1/namespaces/team/pods/web                                  403  delete pods in team
  GET    /api/v1/namespaces/team/pods/web                                  200  devs-read-pods
  GET    /api/v1/namespaces/other/pods/web                                 403  get pods in other
`,
  },
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
    who: 'node n1',
    shows: 'a node reads the objects its pods use, and writes only its own objects',
    rows: `
  GET    /api/v1/namespaces/team/secrets/tls                               200  Node
  GET    /api/v1/namespaces/team/secrets?fieldSelector=metadata.name%3Dtls 200  Node
  GET    /api/v1/namespaces/team/secrets?watch=true&fieldSelector=metadata.name%3Dtls 200 Node
  GET    /api/v1/namespaces/team/secrets/mount                             200  Node
  GET    /api/v1/namespaces/team/secrets/far                               403  : no relationship found between node 'n1' and this object
  GET    /api/v1/namespaces/team/secrets/idle                              403  : no relationship found between node 'n1' and this object
  GET    /api/v1/namespaces/team/secrets/absent                            403  : no relationship found between node 'n1' and this object
  GET    /api/v1/namespaces/other/secrets/tls                              403  : no relationship found between node 'n1' and this object
  GET    /api/v1/namespaces/team/secrets                                   403  : No Object name found
  GET    /api/v1/namespaces/team/secrets?watch=true                        403  : No Object name found
  GET    /api/v1/secrets                                                   403  : can only read namespaced object of this type
  POST   /api/v1/namespaces/team/secrets                                   403  : can only read resources of this type
  PATCH  /api/v1/namespaces/team/secrets/tls                               403  : can only read resources of this type
  DELETE /api/v1/namespaces/team/secrets/tls                               403  : can only read resources of this type
  GET    /api/v1/namespaces/team/configmaps/app                            200  Node
  GET    /api/v1/namespaces/team/configmaps/spare                          403  : no relationship found between node 'n1' and this object
  GET    /api/v1/configmaps                                                403  : can only read namespaced object of this type
  GET    /api/v1/namespaces/team/persistentvolumeclaims/data               200  Node
  GET    /api/v1/namespaces/team/persistentvolumeclaims/absent             403  : no relationship found between node 'n1' and this object
  GET    /api/v1/namespaces/team/persistentvolumeclaims                    403  : can only get individual resources of this type
  PATCH  /api/v1/namespaces/team/persistentvolumeclaims/data               403  : can only get individual resources of this type
  PATCH  /api/v1/namespaces/team/persistentvolumeclaims/data/status <capacity> 200 Node
  PATCH  /api/v1/namespaces/team/persistentvolumeclaims/data/status        403  : is not allowed to update fields other than status.capacity and status.conditions
  GET    /api/v1/persistentvolumes/vol                                     200  Node
  GET    /api/v1/persistentvolumes/absent                                  403  : no relationship found between node 'n1' and this object
  GET    /api/v1/persistentvolumes                                         403  : can only get individual resources of this type
  GET    /apis/storage.k8s.io/v1/volumeattachments/at-n1                   200  Node
  GET    /apis/storage.k8s.io/v1/volumeattachments/at-n2                   403  : no relationship found between node 'n1' and this object
  GET    /apis/storage.k8s.io/v1/volumeattachments                         403  : can only get individual resources of this type
  POST   /api/v1/namespaces/team/serviceaccounts/robot/token               403  : node requested token not bound to a pod
  POST   /api/v1/namespaces/team/serviceaccounts/default/token             403  : no relationship found between node 'n1' and this object
  GET    /api/v1/namespaces/team/serviceaccounts/robot                     403  : can only create tokens for individual service accounts
  GET    /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1 200  Node
  PUT    /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1 200  Node
  PATCH  /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1 200  Node
  PUT    /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2 403  : can only access node lease with the same name as the requesting node
  GET    /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases    403  : can only get, create, update, patch, or delete a node lease
  GET    /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/n1     403  : can only access leases in the "kube-node-lease" system namespace
  POST   /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases    403  : can only access node lease with the same name as the requesting node
  GET    /apis/storage.k8s.io/v1/csinodes/n1                               200  Node
  PATCH  /apis/storage.k8s.io/v1/csinodes/n1                               200  Node
  GET    /apis/storage.k8s.io/v1/csinodes/n2                               403  : can only access CSINode with the same name as the requesting node
  GET    /apis/storage.k8s.io/v1/csinodes                                  403  : can only get, create, update, patch, or delete a CSINode
  GET    /api/v1/nodes                                                     200  Node
  GET    /api/v1/nodes/n2                                                  200  Node
  PATCH  /api/v1/nodes/n1                                                  200  Node
  PATCH  /api/v1/nodes/n1/status                                           200  Node
  PATCH  /api/v1/nodes/n2                                                  403  : node "n1" is not allowed to modify node "n2"
  PATCH  /api/v1/nodes/n2/status                                           403  : node "n1" is not allowed to modify node "n2"
  PATCH  /api/v1/nodes/n1 <taint>                                          403  : node "n1" is not allowed to modify taints
  PATCH  /api/v1/nodes/n1 <zone-label>                                     200  Node
  PATCH  /api/v1/nodes/n1 <restricted-label>                               403  : is not allowed to modify labels: node-restriction.kubernetes.io/tier
  PATCH  /api/v1/nodes/n1 <role-label>                                     403  : is not allowed to modify labels: node-role.kubernetes.io/control-plane
  POST   /api/v1/nodes                                                     403  : is not allowed to modify node "fresh"
  DELETE /api/v1/nodes/n1                                                  403  delete nodes
  GET    /api/v1/pods                                                      200  Node
  GET    /api/v1/pods?watch=true&fieldSelector=spec.nodeName%3Dn1          200  Node
  GET    /api/v1/namespaces/team/pods/web                                  200  Node
  POST   /api/v1/namespaces/team/pods                                      403  : pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods
  POST   /api/v1/namespaces/team/pods <mirror-of-n2>                       403  : node "n1" can only create pods with spec.nodeName set to itself
  POST   /api/v1/namespaces/team/pods <mirror-unowned>                     403  : node "n1" can only create pods with an owner reference set to itself
  DELETE /api/v1/namespaces/team/pods/web                                  200  Node
  DELETE /api/v1/namespaces/team/pods/far                                  403  : node "n1" can only delete pods with spec.nodeName set to itself
  DELETE /api/v1/namespaces/team/pods                                      403  deletecollection pods in team
  PATCH  /api/v1/namespaces/team/pods/web                                  403  patch pods in team
  PATCH  /api/v1/namespaces/team/pods/web/status <phase>                   200  Node
  PATCH  /api/v1/namespaces/team/pods/web/status                           403  : node "n1" cannot update labels through pod status
  PATCH  /api/v1/namespaces/team/pods/far/status <phase>                   403  : node "n1" can only update pod status for pods with spec.nodeName set to itself
  POST   /api/v1/namespaces/team/pods/web/eviction                         201  Node
  POST   /api/v1/namespaces/team/pods/far/eviction                         403  : node n1 can only evict pods with spec.nodeName set to itself
  POST   /api/v1/namespaces/team/pods/web/binding                          403  create pods/binding in team
  GET    /api/v1/services                                                  200  Node
  GET    /apis/node.k8s.io/v1/runtimeclasses                               200  Node
  GET    /apis/storage.k8s.io/v1/csidrivers                                200  Node
  POST   /api/v1/namespaces/team/events                                    201  Node
  POST   /apis/authentication.k8s.io/v1/tokenreviews                       201  Node
  POST   /apis/authorization.k8s.io/v1/subjectaccessreviews                201  Node
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /apis/apps/v1/deployments                                         403  list deployments.apps
  GET    /apis/rbac.authorization.k8s.io/v1/clusterroles                   403  list clusterroles.rbac.authorization.k8s.io
  GET    /metrics                                                          403  get path
`,
  },
  {
    who: 'node without a name',
    shows: 'a node user without a name has no permissions',
    rows: `
  GET    /api/v1/namespaces/team/secrets/tls                               403  : unknown node for user "system:node:"
  GET    /api/v1/nodes                                                     403  : unknown node for user "system:node:"
  GET    /api/v1/pods                                                      403  : unknown node for user "system:node:"
  PATCH  /api/v1/nodes/n1                                                  403  : unknown node for user "system:node:"
`,
  },
  {
    who: 'node name without its group',
    shows: "a node's user name without its group has no permissions",
    rows: `
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  GET    /api/v1/nodes                                                     403  list nodes
  PATCH  /api/v1/nodes/n1/status                                           403  patch nodes/status
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
  {
    who: 'deputy',
    shows: 'the permission to impersonate grants nothing else',
    rows: `
  GET    /api/v1/namespaces/team/pods                                      403  list pods in team
  GET    /api/v1/namespaces/team/configmaps/app                            403  get configmaps in team
`,
  },
  {
    who: 'deputy as viewer',
    shows: 'an impersonating request has exactly the permissions of the impersonated user',
    rows: `
  GET    /api/v1/namespaces/team/pods                                      200  viewers
  GET    /api/v1/namespaces/team/configmaps/app                            200  viewers
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
  DELETE /api/v1/namespaces/team/pods/web                                  403  delete pods in team
  GET    /api/v1/namespaces/other/pods                                     403  list pods in other
`,
  },
  {
    who: 'deputy in devs',
    shows: 'impersonating a group requires permission for that group',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  200  viewers
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
  {
    who: 'deputy with extra scopes',
    shows: 'impersonating extra values requires permission for each value',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  200  viewers
`,
  },
  {
    who: 'deputy as root',
    shows: 'impersonating a user requires permission for that user',
    rows: `
  GET    /version                                                          403  : users "root" is forbidden: User "deputy" cannot impersonate resource "users" in API group "" at the cluster scope
  GET    /api/v1/namespaces/team/pods                                      403  : users "root" is forbidden: User "deputy" cannot impersonate resource "users" in API group "" at the cluster scope
`,
  },
  {
    who: 'deputy in system:masters',
    shows: 'impersonation of system:masters is refused',
    rows: `
  GET    /api/v1/secrets                                                   403  : groups "system:masters" is forbidden: User "deputy" cannot impersonate resource "groups" in API group "" at the cluster scope
`,
  },
  {
    who: 'deputy with another uid',
    shows: 'impersonating a uid requires permission for that uid',
    rows: `
  GET    /api/v1/namespaces/team/pods/web                                  403  : User "deputy" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope
`,
  },
  {
    who: 'deputy with a group but no user',
    shows: 'impersonating a group without a user is refused',
    rows: `
  GET    /version                                                          500  : requested [{Group  devs    }] without impersonating a user
`,
  },
  {
    who: 'alice as root',
    shows: 'impersonation without permission is refused',
    rows: `
  GET    /version                                                          403  : User "alice" cannot impersonate resource "users" in API group "" at the cluster scope
  GET    /api/v1/secrets                                                   403  : User "alice" cannot impersonate resource "users" in API group "" at the cluster scope
`,
  },
  {
    who: 'anonymous as root',
    shows: 'an anonymous request cannot impersonate',
    rows: `
  GET    /version                                                          403  : User "system:anonymous" cannot impersonate resource "users" in API group "" at the cluster scope
  GET    /api/v1/secrets                                                   403  : User "system:anonymous" cannot impersonate resource "users" in API group "" at the cluster scope
`,
  },
  {
    who: 'admin as alice',
    shows: 'an administrator who impersonates loses her own permissions',
    rows: `
  GET    /api                                                              200  system:discovery
  GET    /api/v1/namespaces                                                403  list namespaces
  GET    /api/v1/namespaces/team/secrets/tls                               403  get secrets in team
`,
  },
];

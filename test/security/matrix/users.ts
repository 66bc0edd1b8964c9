import type { Section } from './section.ts';

/** Requests by users with read and edit roles. */
export const users: readonly Section[] = [
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
];

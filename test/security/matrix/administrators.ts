import type { Section } from './section.ts';

/** Requests by users who grant permissions or have broad ones. */
export const administrators: readonly Section[] = [
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
];

import type { Section } from './section.ts';

/** Requests by node agents. */
export const nodes: readonly Section[] = [
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
];

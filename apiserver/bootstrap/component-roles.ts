import { type RuleWords, type RulesByRole, ruleWords } from '../../api/rbac/index.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';

/** Returns the default rules of components, nodes and groups, by role name. */
export const componentRoles = (v: Vocabulary, r: RuleWords): RulesByRole => ({
  'cluster-admin': [r.can('*', '*', '*'), r.paths('*', '*')],
  'system:auth-delegator': [
    r.can('create', 'authentication', 'tokenreviews'),
    r.can('create', 'authorization', 'subjectaccessreviews'),
  ],
  'system:basic-user': [
    r.can('create', 'authorization', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
    // Granted since Kubernetes 1.26, which added SelfSubjectReview.
    r.can('create', 'authentication', 'selfsubjectreviews'),
  ],
  [`system:${v.group('certificates')}:certificatesigningrequests:nodeclient`]: [
    r.can('create', 'certificates', 'certificatesigningrequests/nodeclient'),
  ],
  [`system:${v.group('certificates')}:certificatesigningrequests:selfnodeclient`]: [
    r.can('create', 'certificates', 'certificatesigningrequests/selfnodeclient'),
  ],
  [`system:${v.group('certificates')}:${v.short}-apiserver-client-approver`]: [
    r.can('approve', 'certificates', 'signers', [v.signers.apiserverClient]),
  ],
  [`system:${v.group('certificates')}:${v.short}-apiserver-client-${v.agent}-approver`]: [
    r.can('approve', 'certificates', 'signers', [v.signers.nodeClient]),
  ],
  [`system:${v.group('certificates')}:${v.agent}-serving-approver`]: [
    r.can('approve', 'certificates', 'signers', [v.signers.nodeServing]),
  ],
  [`system:${v.group('certificates')}:legacy-unknown-approver`]: [
    r.can('approve', 'certificates', 'signers', [v.signers.legacyUnknown]),
  ],
  'system:discovery': [
    r.paths(
      'get',
      '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
    ),
  ],
  'system:heapster': [r.read('core', 'events namespaces nodes pods'), r.read('extensions', 'deployments')],
  [v.component('aggregator')]: [r.read('core', 'endpoints services')],
  [v.component('controller-manager')]: [
    r.events,
    r.can('create', 'coordination', 'leases'),
    r.can('get update', 'coordination', 'leases', [`${v.short}-controller-manager`]),
    r.can('create', 'core', 'endpoints'),
    r.can('get update', 'core', 'endpoints', [`${v.short}-controller-manager`]),
    r.can('create', 'core', 'secrets serviceaccounts'),
    r.can('delete', 'core', 'secrets'),
    r.can('get', 'core', 'configmaps namespaces secrets serviceaccounts'),
    r.can('update', 'core', 'secrets serviceaccounts'),
    r.can('create', 'authentication', 'tokenreviews'),
    r.can('create', 'authorization', 'subjectaccessreviews'),
    r.can('list watch', '*', '*'),
    r.can('create', 'core', 'serviceaccounts/token'),
  ],
  [v.component('dns')]: [r.can('list watch', 'core', 'endpoints services')],
  [v.component('scheduler')]: [
    r.events,
    r.can('create', 'coordination', 'leases'),
    r.can('get update', 'coordination', 'leases', [`${v.short}-scheduler`]),
    r.can('create', 'core', 'endpoints'),
    r.can('get update', 'core', 'endpoints', [`${v.short}-scheduler`]),
    r.read('core', 'nodes'),
    r.can('delete get list watch', 'core', 'pods'),
    r.can('create', 'core', 'bindings pods/binding'),
    r.can('patch update', 'core', 'pods/status'),
    r.read('core', 'replicationcontrollers services'),
    r.read('apps extensions', 'replicasets'),
    r.read('apps', 'statefulsets'),
    r.read('policy', 'poddisruptionbudgets'),
    r.read('core', 'persistentvolumeclaims persistentvolumes'),
    r.can('create', 'authentication', 'tokenreviews'),
    r.can('create', 'authorization', 'subjectaccessreviews'),
    r.read('core', 'namespaces'),
    r.read('storage', 'csidrivers csinodes csistoragecapacities'),
  ],
  [v.agentClient.group]: [
    r.read('core', 'nodes'),
    r.can('proxy', 'core', 'nodes'),
    r.can('*', 'core', 'nodes/log nodes/metrics nodes/proxy nodes/spec nodes/stats'),
  ],
  'system:monitoring': [r.paths('get', '/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*')],
  'system:node': nodeRules(v),
  'system:node-bootstrapper': [r.can('create get list watch', 'certificates', 'certificatesigningrequests')],
  'system:node-problem-detector': [
    r.can('get', 'core', 'nodes'),
    r.can('patch', 'core', 'nodes/status'),
    r.events,
  ],
  'system:node-proxier': [
    r.can('list watch', 'core', 'endpoints services'),
    r.read('core', 'nodes'),
    r.events,
    r.can('list watch', 'discovery', 'endpointslices'),
  ],
  'system:persistent-volume-provisioner': [
    r.can('create delete get list watch', 'core', 'persistentvolumes'),
    r.can('get list update watch', 'core', 'persistentvolumeclaims'),
    r.read('storage', 'storageclasses'),
    r.can('watch', 'core', 'events'),
    r.events,
  ],
  'system:public-info-viewer': [r.paths('get', '/healthz /livez /readyz /version /version/')],
  'system:service-account-issuer-discovery': [
    r.paths('get', '/.well-known/openid-configuration /openid/v1/jwks'),
  ],
  'system:volume-scheduler': [
    r.can('get list patch update watch', 'core', 'persistentvolumes'),
    r.read('storage', 'storageclasses'),
    r.can('get list patch update watch', 'core', 'persistentvolumeclaims'),
  ],
});

/** Returns the rules of node agents that are the same for every node. */
export function nodeRules(v: Vocabulary): readonly PolicyRule[] {
  const r = ruleWords(v);
  return [
    r.can('create', 'authentication', 'tokenreviews'),
    r.can('create', 'authorization', 'localsubjectaccessreviews subjectaccessreviews'),
    r.read('core', 'services'),
    r.can('create get list watch', 'core', 'nodes'),
    r.can('patch update', 'core', 'nodes/status'),
    r.can('patch update', 'core', 'nodes'),
    r.can('create patch update', 'core', 'events'),
    r.read('core', 'pods'),
    r.can('create delete', 'core', 'pods'),
    r.can('patch update', 'core', 'pods/status'),
    r.can('create', 'core', 'pods/eviction'),
    r.read('core', 'configmaps secrets'),
    r.can('get', 'core', 'persistentvolumeclaims persistentvolumes'),
    r.can('get', 'core', 'endpoints'),
    r.can('create get list watch', 'certificates', 'certificatesigningrequests'),
    r.can('create delete get patch update', 'coordination', 'leases'),
    r.can('get', 'storage', 'volumeattachments'),
    r.can('create', 'core', 'serviceaccounts/token'),
    r.can('get patch update', 'core', 'persistentvolumeclaims/status'),
    r.read('storage', 'csidrivers'),
    r.can('create delete get patch update', 'storage', 'csinodes'),
    r.read('node', 'runtimeclasses'),
  ];
}

import type { RuleWords, RulesByRole } from '../../api/rbac/index.ts';

/** Aggregated roles for users, each with the role that it is aggregated to. */
export const aggregatedRoles: Readonly<Record<string, { readonly aggregateTo?: string }>> = {
  admin: {},
  edit: { aggregateTo: 'admin' },
  view: { aggregateTo: 'edit' },
};

/**
 * Returns the rules of users in their namespaces; the rules under `x` belong to the role
 * `system:aggregate-to-x`.
 */
export const aggregatedParts = (r: RuleWords): RulesByRole => ({
  admin: [
    r.can('create', 'authorization', 'localsubjectaccessreviews'),
    r.can(
      'create delete deletecollection get list patch update watch',
      'rbac.authorization',
      'rolebindings roles',
    ),
  ],
  edit: [
    r.read('core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
    r.can('impersonate', 'core', 'serviceaccounts'),
    r.can('create', 'core', 'serviceaccounts/token'),
    r.write('core', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
    r.write(
      'core',
      'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
    ),
    r.write(
      'apps',
      'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
    ),
    r.write('autoscaling', 'horizontalpodautoscalers'),
    r.write('batch', 'cronjobs jobs'),
    r.write(
      'extensions',
      'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
    ),
    r.write('policy', 'poddisruptionbudgets'),
    r.write('networking', 'ingresses networkpolicies'),
  ],
  view: [
    r.read(
      'core',
      'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
    ),
    r.read(
      'core',
      'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
    ),
    r.read('core', 'namespaces'),
    r.read(
      'apps',
      'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
    ),
    r.read('autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
    r.read('batch', 'cronjobs cronjobs/status jobs jobs/status'),
    r.read(
      'extensions',
      'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
    ),
    r.read('policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
    r.read('networking', 'ingresses ingresses/status networkpolicies'),
    r.read('discovery', 'endpointslices'),
  ],
});

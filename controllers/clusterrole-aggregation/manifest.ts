import type { ControllerManifest } from '../manifest.ts';

/** Record of the controller `clusterrole-aggregation`. */
export const clusterRoleAggregationManifest = {
  name: 'clusterrole-aggregation',
  summary: 'fills the ClusterRoles that have an aggregation rule',
  concurrency: 5,
  permissions: (r) => ({
    account: 'clusterrole-aggregation-controller',
    everywhere: [r.can('escalate get list patch update watch', 'rbac.authorization', 'clusterroles')],
  }),
} as const satisfies ControllerManifest;

import type { Action } from '../world/user.ts';

/** Resources of the built-in controllers, in the format of `resourceOf`. */
export const neededByControllers: readonly string[] = [
  '/configmaps',
  '/events',
  '/namespaces',
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/resourcequotas',
  '/secrets',
  '/serviceaccounts',
  'batch/cronjobs',
  'batch/jobs',
  'certificates/certificatesigningrequests',
  'events/events',
  'rbac.authorization/clusterroles',
];

/**
 * Returns the resources that the controllers and the workload need. `leases` adds those of leader election.
 */
export const neededResources = (workload: readonly Action[], leases = false): readonly string[] => [
  ...new Set([
    ...neededByControllers,
    ...(leases ? ['coordination/leases'] : []),
    ...workload.flatMap(({ resource, owners = [] }) => [resource, ...owners.map((owner) => owner.resource)]),
  ]),
];

import type { Action } from '../world/user.ts';

/** What the program's own controllers read and write, as `resourceOf` writes it. */
const NEEDED = [
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

/** The resources without which those controllers, under leases or not, or these users, could not do their work. */
export const neededResources = (workload: readonly Action[], leases = false): readonly string[] => [
  ...new Set([
    ...NEEDED,
    ...(leases ? ['coordination/leases'] : []),
    ...workload.flatMap(({ resource, owners = [] }) => [resource, ...owners.map((owner) => owner.resource)]),
  ]),
];

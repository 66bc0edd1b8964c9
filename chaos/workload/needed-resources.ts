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
  'apiextensions/customresourcedefinitions',
  'apiregistration/apiservices',
  'batch/cronjobs',
  'batch/jobs',
  'certificates/certificatesigningrequests',
  'coordination/leases',
  'events/events',
  'rbac.authorization/clusterroles',
];

/** The resources without which those controllers, or these users, could not do their work. */
export const neededResources = (workload: readonly Action[]): readonly string[] => [
  ...new Set([
    ...NEEDED,
    ...workload.flatMap(({ resource, owners = [] }) => [resource, ...owners.map((owner) => owner.resource)]),
  ]),
];

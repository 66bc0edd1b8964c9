/**
 * Priority of a group among all groups, and of a version within its group. Discovery lists higher priorities
 * first.
 */
export interface Priorities {
  readonly group: number;
  readonly version: number;
}

/** Priorities of custom resources. Their groups follow all built-in groups. */
const CUSTOM_PRIORITIES: Priorities = { group: 1_000, version: 100 };

/**
 * Priorities of built-in versions, by group without the domain suffix
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/cmd/kube-apiserver/app/aggregator.go,
 * `apiVersionPriorities`).
 */
const builtIn: Readonly<
  Record<string, { readonly group: number; readonly versions: Readonly<Record<string, number>> }>
> = {
  '': { group: 18_000, versions: { v1: 1 } },
  apps: { group: 17_800, versions: { v1: 15 } },
  events: { group: 17_750, versions: { v1: 15, v1beta1: 5 } },
  authentication: { group: 17_700, versions: { v1: 15, v1beta1: 9 } },
  authorization: { group: 17_600, versions: { v1: 15 } },
  autoscaling: { group: 17_500, versions: { v2: 30, v1: 15, v2beta1: 9, v2beta2: 1 } },
  batch: { group: 17_400, versions: { v1: 15, v1beta1: 9 } },
  certificates: { group: 17_300, versions: { v1: 15 } },
  networking: { group: 17_200, versions: { v1: 15 } },
  policy: { group: 17_100, versions: { v1: 15, v1beta1: 9 } },
  'rbac.authorization': { group: 17_000, versions: { v1: 15 } },
  storage: { group: 16_800, versions: { v1: 15, v1beta1: 9 } },
  apiextensions: { group: 16_700, versions: { v1: 15 } },
  admissionregistration: { group: 16_700, versions: { v1: 15, v1beta1: 12 } },
  scheduling: { group: 16_600, versions: { v1: 15 } },
  coordination: { group: 16_500, versions: { v1: 15 } },
  node: { group: 16_300, versions: { v1: 15, v1beta1: 9 } },
  discovery: { group: 16_200, versions: { v1: 15, v1beta1: 12 } },
  'flowcontrol.apiserver': { group: 16_100, versions: { v1beta2: 15, v1beta1: 12 } },
};

/**
 * Group that defines APIService, and that has the highest priority. The group has no APIService object
 * itself.
 */
export const REGISTRATION_GROUP = 'apiregistration';
const REGISTRATION: Priorities = { group: 20_001, version: 15 };

/**
 * Returns the priorities of a version; `group` has no domain suffix. Unknown versions have the priorities of
 * custom resources.
 */
export function prioritiesOf(group: string, version: string): Priorities {
  if (group === REGISTRATION_GROUP) return REGISTRATION;
  const known = Object.hasOwn(builtIn, group) ? builtIn[group] : undefined;
  const place = known && Object.hasOwn(known.versions, version) ? known.versions[version] : undefined;
  return known === undefined || place === undefined
    ? CUSTOM_PRIORITIES
    : { group: known.group, version: place };
}

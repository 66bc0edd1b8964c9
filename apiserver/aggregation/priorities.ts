/** Where a group stands among groups, and a version among those of its group: the higher, the earlier. */
export interface Priorities {
  readonly group: number;
  readonly version: number;
}

/** Of custom resources: behind everything built in, versions in their usual order. */
const CUSTOM_PRIORITIES: Priorities = { group: 1_000, version: 100 };

/** By group without suffix; what each version of it has. Release 1.24, `apiVersionPriorities`. */
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

/** The group that is first of all and has no API service: it is what says which others there are. */
export const REGISTRATION_GROUP = 'apiregistration';
const REGISTRATION: Priorities = { group: 20_001, version: 15 };

/** `group` without suffix. A version that is none of the built-in ones stands where custom resources stand. */
export function prioritiesOf(group: string, version: string): Priorities {
  if (group === REGISTRATION_GROUP) return REGISTRATION;
  const known = Object.hasOwn(builtIn, group) ? builtIn[group] : undefined;
  const place = known && Object.hasOwn(known.versions, version) ? known.versions[version] : undefined;
  return known === undefined || place === undefined
    ? CUSTOM_PRIORITIES
    : { group: known.group, version: place };
}

import { compareVersions } from '../../api/extensions/index.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import { prioritiesOf } from '../aggregation/priorities.ts';
import type { ExternalGroupVersion } from './external.ts';

/** API group and its versions, the preferred version first. */
export interface GroupVersions {
  /** API group with its domain suffix. */
  readonly group: string;
  readonly versions: readonly string[];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Place = Pick<ExternalGroupVersion, 'group' | 'version' | 'groupPriority' | 'versionPriority'>;

/**
 * Returns a function that lists the groups of this server and of other servers, in upstream's order of
 * priority. The function rebuilds the list only after a change.
 */
export function groupsOnce(
  scheme: Scheme,
  external: () => readonly ExternalGroupVersion[],
): () => readonly GroupVersions[] {
  let found: { readonly of: readonly unknown[]; readonly groups: readonly GroupVersions[] } | undefined;
  return () => {
    const { kinds } = scheme;
    const others = external();
    if (found?.of[0] !== kinds || found.of[1] !== others)
      found = { of: [kinds, others], groups: inOrder([...placesOf(scheme), ...others]) };
    return found.groups;
  };
}

const placesOf = ({ kinds, vocabulary }: Scheme): readonly Place[] =>
  kinds.map(({ group, version }) => {
    const priorities = prioritiesOf(group, version);
    return {
      group: vocabulary.group(group),
      version,
      groupPriority: priorities.group,
      versionPriority: priorities.version,
    };
  });

/**
 * Sorts groups and versions. If this server and another one serve the same version, the version of the other
 * server, which is last in `places`, takes precedence.
 */
function inOrder(places: readonly Place[]): readonly GroupVersions[] {
  const byVersion = new Map(places.map((place) => [`${place.version}.${place.group}`, place]));
  const groups = new Map<string, Place[]>();
  // Groups with the same priority are sorted by the names of their APIService objects, which start with the
  // version.
  const sorted = [...byVersion].sort(
    ([a, left], [b, right]) => right.groupPriority - left.groupPriority || compare(a, b),
  );
  for (const [, place] of sorted) {
    const known = groups.get(place.group);
    if (known === undefined) groups.set(place.group, [place]);
    else known.push(place);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: versions
      .sort((a, b) => b.versionPriority - a.versionPriority || compareVersions(a.version, b.version))
      .map(({ version }) => version),
  }));
}

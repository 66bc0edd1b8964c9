import type { AnyKind } from '../../../api/kinds/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

/** Returns the discovery documents of a server with these kinds, by path. */
export function discoveryOf(
  vocabulary: Vocabulary,
  kinds: readonly AnyKind[],
): { readonly [path: string]: unknown } {
  const groupVersions = [
    ...new Set(kinds.map(({ group, version }) => vocabulary.apiVersion(group, version))),
  ];
  const resources = (groupVersion: string): unknown => ({
    groupVersion,
    resources: kinds
      .filter(({ group, version }) => vocabulary.apiVersion(group, version) === groupVersion)
      .map(({ plural, kind, namespaced, verbs }) => ({ name: plural, kind, namespaced, verbs })),
  });
  return {
    '/api/v1': resources('v1'),
    '/apis': {
      groups: groupVersions
        .filter((each) => each !== 'v1')
        .map((groupVersion) => ({ preferredVersion: { groupVersion } })),
    },
    ...Object.fromEntries(
      groupVersions
        .filter((each) => each !== 'v1')
        .map((groupVersion) => [`/apis/${groupVersion}`, resources(groupVersion)]),
    ),
  };
}

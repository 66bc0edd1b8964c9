import type { ForeignSwagger } from '../../api/openapi/index.ts';

/** A resource or `resource/subresource` of an `APIResourceList`. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Group and version of the kind, if they differ from those of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group version of another server. */
export interface ExternalGroupVersion {
  /** The served group. */
  readonly group: string;
  readonly version: string;
  /** Higher priorities are listed first. A group has the highest priority of its versions. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Last known resources; empty if the server never responded. */
  readonly resources: readonly DiscoveredResource[];
  /** True if the last request for them succeeded. */
  readonly isFresh: boolean;
  /** Path of its OpenAPI v3 document, `/openapi/v3/apis/…`; undefined if it has none. */
  readonly openApiPath?: string;
  /** The part of its OpenAPI v2 document for this group version; undefined if there is none. */
  readonly swagger?: ForeignSwagger;
}

/** Returns a group version of another server in the form of aggregated discovery. */
export function aggregatedExternal({ group, version, resources, isFresh }: ExternalGroupVersion): object {
  const kindOf = (resource: DiscoveredResource): object => ({
    group: resource.version === undefined ? group : (resource.group ?? ''),
    version: resource.version ?? version,
    kind: resource.kind,
  });
  const subresourcesOf = (parent: DiscoveredResource): object[] =>
    resources
      .filter(({ name }) => name.startsWith(`${parent.name}/`))
      .map((each) => ({
        subresource: each.name.slice(parent.name.length + 1),
        responseKind: kindOf(each),
        verbs: each.verbs,
      }));
  return {
    version,
    resources: resources
      .filter(({ name }) => !name.includes('/'))
      .map((resource) => {
        const { name, kind, namespaced, singularName, verbs, shortNames, categories } = resource;
        const subresources = subresourcesOf(resource);
        return {
          resource: name,
          responseKind: kindOf(resource),
          scope: namespaced ? 'Namespaced' : 'Cluster',
          singularResource: singularName === '' ? kind.toLowerCase() : singularName,
          verbs,
          ...(shortNames && { shortNames }),
          ...(categories && { categories }),
          ...(subresources.length > 0 && { subresources }),
        };
      }),
    freshness: isFresh ? 'Current' : 'Stale',
  };
}

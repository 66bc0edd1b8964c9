import type { ForeignSwagger } from '../../api/openapi/index.ts';

/** Resource, or subresource such as `pods/log`, in an `APIResourceList`. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Group of the kind, if group and version differ from those of the list. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Group version that another server serves. */
export interface ExternalGroupVersion {
  /** API group with its domain suffix. */
  readonly group: string;
  readonly version: string;
  /**
   * Priority of the group; groups with higher priority are listed first. The highest priority of its versions
   * counts.
   */
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** Last known resources; empty if the server never responded. */
  readonly resources: readonly DiscoveredResource[];
  /** True if the last request for the resources succeeded. */
  readonly isFresh: boolean;
  /** Path of the OpenAPI v3 document, such as `/openapi/v3/apis/…`; undefined if there is none. */
  readonly openApiPath?: string;
  /**
   * Part of the server's OpenAPI v2 document that describes this group version; undefined if there is none.
   */
  readonly swagger?: ForeignSwagger;
}

/** Converts a group version of another server to the format of aggregated discovery. */
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

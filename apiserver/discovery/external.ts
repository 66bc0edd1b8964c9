import type { ForeignSwagger } from '../../api/openapi/index.ts';

/** A resource (or `resource/subresource`) as an `APIResourceList` has it. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Empty: those of the group version. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A group version that another server answers. */
export interface ExternalGroupVersion {
  /** The served group. */
  readonly group: string;
  readonly version: string;
  /** The higher, the earlier; the group stands where the highest of its versions puts it. */
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** As that server said last; empty when it never has. */
  readonly resources: readonly DiscoveredResource[];
  /** Whether it said so at the last time of asking. */
  readonly isFresh: boolean;
  /** Where its OpenAPI document (version 3) is, `/openapi/v3/apis/…`; undefined where it has none. */
  readonly openApiPath?: string;
  /** What its OpenAPI document, version 2, says of this group version; undefined where it says nothing. */
  readonly swagger?: ForeignSwagger;
}

/** A group version of another server as aggregated discovery has it. */
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

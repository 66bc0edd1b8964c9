import type { ExternalGroupVersion } from '../discovery/external.ts';
import type { RemoteDocument } from './discovery-request.ts';
import type { RemoteServices } from './remote-services.ts';

/**
 * Last known discovery documents of other servers. A server that does not respond keeps its resources, which
 * are marked as stale.
 */
export interface ExternalVersions {
  /** Records a discovery result. `document` is undefined if the server did not respond. */
  readonly discovered: (name: string, document: RemoteDocument | undefined) => void;
  /** Returns the last document of a server. Returns undefined if the server never responded. */
  documentOf(name: string): RemoteDocument | undefined;
  /** Rebuilds the list of group versions after a change of the APIService objects. */
  refresh(): void;
  /** Returns the group versions. Returns the same array until a group version changes. */
  list(): readonly ExternalGroupVersion[];
}

/** Serializes group versions for comparison, with entity tags in place of OpenAPI v2 documents. */
const comparable = (versions: readonly ExternalGroupVersion[]): string =>
  JSON.stringify(versions.map(({ swagger, ...rest }) => ({ ...rest, etag: swagger?.etag })));

interface Known {
  readonly document: RemoteDocument;
  readonly isFresh: boolean;
}

/** Creates an empty record of discovery results. */
export function createExternalVersions(remotes: Pick<RemoteServices, 'list' | 'named'>): ExternalVersions {
  const known = new Map<string, Known>();
  let listed: readonly ExternalGroupVersion[] = [];
  const refresh = (): void => {
    for (const name of known.keys()) if (remotes.named(name) === undefined) known.delete(name);
    const next = remotes.list().map(({ name, group, version, groupPriority, versionPriority }) => {
      const { document, isFresh = false } = known.get(name) ?? {};
      const { resources = [], openApiPath, swagger } = document ?? {};
      const place = { group, version, groupPriority, versionPriority };
      return {
        ...place,
        resources,
        isFresh,
        ...(openApiPath && { openApiPath }),
        ...(swagger && { swagger }),
      };
    });
    if (comparable(next) !== comparable(listed)) listed = next;
  };
  return {
    discovered(name, document) {
      const before = known.get(name)?.document;
      const latest = document ?? before;
      if (latest !== undefined) known.set(name, { document: latest, isFresh: document !== undefined });
      refresh();
    },
    documentOf: (name) => known.get(name)?.document,
    refresh,
    list: () => listed,
  };
}

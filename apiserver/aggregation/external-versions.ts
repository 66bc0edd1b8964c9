import type { ExternalGroupVersion } from '../discovery/external.ts';
import type { RemoteDocument } from './discovery-request.ts';
import type { RemoteServices } from './remote-services.ts';

/** What other servers serve, as they said last: one that is silent keeps its place, and is known to be out of date. */
export interface ExternalVersions {
  /** `document` is undefined when a server did not answer. */
  readonly discovered: (name: string, document: RemoteDocument | undefined) => void;
  /** What a server said last; undefined when it never has. */
  documentOf(name: string): RemoteDocument | undefined;
  /** The API services have changed. */
  refresh(): void;
  /** The same array until something changes. */
  list(): readonly ExternalGroupVersion[];
}

/** What is compared: of a document that says of itself which it is, that alone. */
const told = (versions: readonly ExternalGroupVersion[]): string =>
  JSON.stringify(versions.map(({ swagger, ...rest }) => ({ ...rest, etag: swagger?.etag })));

interface Known {
  readonly document: RemoteDocument;
  readonly isFresh: boolean;
}

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
    if (told(next) !== told(listed)) listed = next;
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

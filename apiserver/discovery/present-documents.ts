import type { Scheme } from '../../api/kinds/index.ts';
import type { CachedDocument } from './cached-document.ts';
import type { ExternalGroupVersion } from './external.ts';

/**
 * Function that returns a cached document by name, or creates it. All documents are dropped after a change of
 * the served kinds.
 */
export type PresentDocuments = (name: string, create: () => CachedDocument) => CachedDocument;

/** Sources of the documents; a change of a source drops all documents. */
export interface PresentDocumentsOptions {
  readonly scheme: Scheme;
  /**
   * Returns the group versions of other servers. Returns the same array until a group version changes. The
   * default is none.
   */
  readonly external?: () => readonly ExternalGroupVersion[];
}

/** Creates an empty cache of documents. */
export function createPresentDocuments({ scheme, external }: PresentDocumentsOptions): PresentDocuments {
  let of: readonly unknown[] = [];
  const byName = new Map<string, CachedDocument>();
  return (name, create) => {
    const present = [scheme.kinds, external?.()];
    if (present.some((each, at) => each !== of[at])) byName.clear();
    of = present;
    const document = byName.get(name) ?? create();
    byName.set(name, document);
    return document;
  };
}

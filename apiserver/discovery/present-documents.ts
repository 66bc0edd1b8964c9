import type { Scheme } from '../../api/kinds/index.ts';
import type { CachedDocument } from './cached-document.ts';
import type { ExternalGroupVersion } from './external.ts';

/** Returns a cached document by name; any change of the served kinds drops all. */
export type PresentDocuments = (name: string, create: () => CachedDocument) => CachedDocument;

/** Sources whose changes drop the documents. */
export interface PresentDocumentsOptions {
  readonly scheme: Scheme;
  /** Group versions of other servers; the same array until it changes. Default none. */
  readonly external?: () => readonly ExternalGroupVersion[];
}

/** Creates an empty cache. */
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

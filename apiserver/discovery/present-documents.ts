import type { Scheme } from '../../api/kinds/index.ts';
import type { CachedDocument } from './cached-document.ts';
import type { ExternalGroupVersion } from './external.ts';

/** A document by its name, which any change of what is served makes outdated. */
export type PresentDocuments = (name: string, create: () => CachedDocument) => CachedDocument;

export interface PresentDocumentsOptions {
  readonly scheme: Scheme;
  /** What other servers serve; the same array until that changes. Default nothing. */
  readonly external?: () => readonly ExternalGroupVersion[];
}

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

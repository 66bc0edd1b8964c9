import type { ResourceName } from '../model/view.ts';
import { askJson } from './access.ts';
import { type PlainObject, type ServedResource, collectionPath, nameOf, resourceId } from './api.ts';

export interface Dependent {
  readonly resource: ServedResource;
  readonly name: string;
}

/** How far a search for dependents has come. */
export interface DependentsFound {
  readonly found: readonly Dependent[];
  /** Resources that were looked through, of how many. */
  readonly done: number;
  readonly all: number;
}

interface MetadataList {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly PlainObject[];
}

const AT_ONCE = 4;
const PAGE = 500;

/**
 * Looks for what an object owns through all resources, by their metadata alone, those of `first` before the others. An
 * object in a namespace owns nothing outside of it. Resources that may not be listed are passed over.
 */
export async function findDependents(options: {
  readonly owner: PlainObject;
  readonly resources: readonly ServedResource[];
  readonly first: readonly ResourceName[];
  readonly metaGroup: string;
  readonly signal: AbortSignal;
  readonly tell: (found: DependentsFound) => void;
}): Promise<void> {
  const { owner, resources, first, metaGroup, signal, tell } = options;
  const { uid, namespace } = owner.metadata ?? {};
  const early = new Set(first.map(resourceId));
  const wanted = resources
    .filter(({ namespaced }) => namespace === undefined || namespaced)
    .toSorted((a, b) => Number(early.has(resourceId(b))) - Number(early.has(resourceId(a))));
  const accept = `application/json;as=PartialObjectMetadataList;v=v1;g=${metaGroup}`;
  const found: Dependent[] = [];
  const waiting = [...wanted];
  let done = 0;

  const look = async (resource: ServedResource): Promise<void> => {
    let next = '';
    do {
      const query = new URLSearchParams({ limit: String(PAGE), ...(next === '' ? {} : { continue: next }) });
      const path = `${collectionPath(resource, namespace)}?${query}`;
      const page = await askJson<MetadataList>(path, { accept, signal });
      for (const item of page.items)
        if (item.metadata?.ownerReferences?.some((reference) => reference.uid === uid))
          found.push({ resource, name: nameOf(item) });
      next = page.metadata?.continue ?? '';
    } while (next !== '');
  };
  const work = async (): Promise<void> => {
    for (let resource = waiting.shift(); resource !== undefined; resource = waiting.shift()) {
      await look(resource).catch(() => undefined);
      if (signal.aborted) return;
      tell({ found: [...found], done: ++done, all: wanted.length });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

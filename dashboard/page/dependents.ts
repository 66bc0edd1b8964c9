import { useEffect, useState } from 'preact/hooks';
import type { ResourceName } from '../model/view.ts';
import { sendForJson } from './access.ts';
import {
  type PlainObject,
  type ServedResource,
  collectionPath,
  discover,
  nameOf,
  resourceId,
} from './api.ts';

/** An object with an owner reference to the owner. */
export interface Dependent {
  readonly resource: ServedResource;
  readonly name: string;
  /** True if it delays a deletion of the owner in the foreground. */
  readonly blocks: boolean;
}

/** Progress of a search for dependents. */
export interface DependentsFound {
  readonly found: readonly Dependent[];
  /** Number of resources searched so far. */
  readonly done: number;
  readonly all: number;
}

interface MetadataList {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly PlainObject[];
}

/**
 * Maximum number of resources that are searched at the same time. It is small so that the search does not
 * delay the page's other requests.
 */
const CONCURRENCY = 4;
const PAGE = 500;

/**
 * Searches all resources for dependents of an object, `first` before the others, by metadata alone. A namespaced owner
 * has dependents only in its namespace. Resources that the user may not list are skipped. `report` is called after each
 * resource.
 */
export async function findDependents(options: {
  readonly owner: PlainObject;
  readonly resources: readonly ServedResource[];
  readonly first: readonly ResourceName[];
  readonly metaGroup: string;
  readonly signal: AbortSignal;
  readonly report: (found: DependentsFound) => void;
}): Promise<void> {
  const { owner, resources, first, metaGroup, signal, report } = options;
  const { uid, namespace } = owner.metadata ?? {};
  const early = new Set(first.map(resourceId));
  const wanted = resources
    .filter(({ namespaced }) => namespace === undefined || namespaced)
    .toSorted((a, b) => Number(early.has(resourceId(b))) - Number(early.has(resourceId(a))));
  const accept = `application/json;as=PartialObjectMetadataList;v=v1;g=${metaGroup}`;
  const found: Dependent[] = [];
  const waiting = [...wanted];
  let done = 0;

  const search = async (resource: ServedResource): Promise<void> => {
    let next = '';
    do {
      const query = new URLSearchParams({ limit: String(PAGE), ...(next === '' ? {} : { continue: next }) });
      const path = `${collectionPath(resource, namespace)}?${query}`;
      const page = await sendForJson<MetadataList>(path, { accept, signal });
      for (const item of page.items) {
        const reference = item.metadata?.ownerReferences?.find((each) => each.uid === uid);
        if (reference !== undefined)
          found.push({ resource, name: nameOf(item), blocks: reference.blockOwnerDeletion === true });
      }
      next = page.metadata?.continue ?? '';
    } while (next !== '');
  };
  const work = async (): Promise<void> => {
    for (let resource = waiting.shift(); resource !== undefined; resource = waiting.shift()) {
      await search(resource).catch(() => undefined);
      if (signal.aborted) return;
      report({ found: [...found], done: ++done, all: wanted.length });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

const NOTHING: DependentsFound = { found: [], done: 0, all: 0 };

/** Returns every listable resource. The list is empty until discovery is complete. */
export function useResources(): readonly ServedResource[] {
  const [resources, setResources] = useState<readonly ServedResource[]>([]);
  useEffect(() => {
    discover().then(setResources, () => {});
  }, []);
  return resources;
}

/** Searches for the dependents of an object, and again at each change of `search`. */
export function useDependents(options: {
  readonly owner: PlainObject;
  readonly first: readonly ResourceName[];
  readonly metaGroup: string;
  readonly search?: number;
}): DependentsFound {
  const { owner, first, metaGroup, search = 0 } = options;
  const uid = owner.metadata?.uid;
  const resources = useResources();
  const [progress, report] = useState(NOTHING);
  useEffect(() => {
    if (uid === undefined || resources.length === 0) return undefined;
    const leaving = new AbortController();
    void findDependents({ owner, resources, first, metaGroup, signal: leaving.signal, report });
    return () => leaving.abort();
  }, [uid, resources, search]);
  return progress;
}

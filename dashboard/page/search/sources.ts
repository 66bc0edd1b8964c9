import { useEffect, useState } from 'preact/hooks';
import type { Overview } from '../../model/documents.ts';
import { documentAt } from '../../model/documents.ts';
import type { Found } from '../../model/search.ts';
import { sendForJson } from '../access.ts';
import { offeredActs } from '../acts/offered.ts';
import {
  type PlainObject,
  type ServedResource,
  collectionPath,
  discover,
  nameOf,
  resourceId,
} from '../api.ts';
import { playing } from '../journal.ts';
import { toController, toResource } from '../routes.ts';
import type { PageSettings } from '../settings.ts';

const PAGE = 500;
/** Maximum number of objects of one resource that are searched. */
const MOST_OBJECTS = 2_000;
/** Maximum number of resources that are read at the same time. */
const CONCURRENCY = 4;

/** All that can be found, as far as it has been read. */
export interface Searched {
  readonly all: readonly Found[];
  readonly isComplete: boolean;
  /** Plurals of the resources with more objects than are searched. */
  readonly truncated: readonly string[];
}

function views({ mode }: PageSettings): readonly Found[] {
  const view = (text: string, href: string): Found => ({ kind: 'view', text, detail: 'view', href });
  const always = [view('Overview', '#/')];
  return mode === 'live'
    ? [...always, view('Lifecycles', '#/lifecycles'), view('Explorer', '#/explorer')]
    : always;
}

async function controllers(): Promise<readonly Found[]> {
  const replay = playing.get()?.replay;
  const read =
    replay === undefined
      ? await sendForJson<Overview>('/journal/v1/controllers')
      : documentAt(replay.view(), 'controllers', new URLSearchParams());
  if (read?.kind !== 'Overview') return [];
  return read.controllers.map(({ name }) => ({
    kind: 'controller',
    text: name,
    detail: 'controller',
    href: toController(name),
  }));
}

interface MetadataList {
  readonly metadata?: { readonly continue?: string };
  readonly items: readonly PlainObject[];
}

/** Reads the names of a resource's objects in all namespaces, as metadata alone. */
async function objectsOf(
  resource: ServedResource,
  metaGroup: string,
  signal: AbortSignal,
): Promise<{ readonly objects: readonly Found[]; readonly isTruncated: boolean }> {
  const accept = `application/json;as=PartialObjectMetadataList;v=v1;g=${metaGroup}`;
  const objects: Found[] = [];
  let next = '';
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...(next === '' ? {} : { continue: next }) });
    const page = await sendForJson<MetadataList>(`${collectionPath(resource)}?${query}`, { accept, signal });
    for (const item of page.items) {
      const text = nameOf(item);
      const href = toResource(resourceId(resource), text);
      objects.push({ kind: 'object', text, detail: resource.kind, href });
    }
    next = page.metadata?.continue ?? '';
  } while (next !== '' && objects.length < MOST_OBJECTS);
  return { objects, isTruncated: next !== '' };
}

/** Reads all sources, and reports after each. Sources that the user may not read are skipped. */
async function readAll(
  settings: PageSettings,
  signal: AbortSignal,
  report: (searched: Searched) => void,
): Promise<void> {
  const all: Found[] = [...offeredActs.get(), ...views(settings)];
  const truncated: string[] = [];
  const publish = (isComplete: boolean): void => {
    if (!signal.aborted) report({ all: [...all], isComplete, truncated: [...truncated] });
  };
  publish(false);
  all.push(...(await controllers().catch(() => [])));
  const resources = settings.mode === 'live' ? await discover().catch(() => []) : [];
  for (const resource of resources)
    all.push({
      kind: 'kind',
      text: resource.plural,
      detail: `${resource.kind}, ${resource.group || 'core'}`,
      href: toResource(resourceId(resource)),
    });
  publish(resources.length === 0);
  const waiting = [...resources];
  const work = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const read = await objectsOf(each, settings.groups.meta, signal).catch(() => undefined);
      if (signal.aborted) return;
      all.push(...(read?.objects ?? []));
      if (read?.isTruncated === true) truncated.push(each.plural);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  publish(true);
}

/** Reads all that can be found, once when the search opens. */
export function useSearched(settings: PageSettings): Searched {
  const [searched, show] = useState<Searched>({ all: [], isComplete: false, truncated: [] });
  useEffect(() => {
    const leaving = new AbortController();
    void readAll(settings, leaving.signal, show);
    return () => leaving.abort();
  }, []);
  return searched;
}

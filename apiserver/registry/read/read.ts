import { badRequest, notFound } from '../../../api/status/index.ts';
import { type Soon, whenThere } from '../../../base/async/index.ts';
import { nextSlice } from '../../../base/budget/index.ts';
import type { Stored } from '../../storage/storage.ts';
import type { Entry } from '../../watch/watch-cache.ts';
import {
  type Continuation,
  decodeContinuation,
  encodeContinuation,
  expiredContinuation,
} from './continue-token.ts';
import { EncodedEntry, type Value, toEncodedList } from './list-document.ts';
import type { Encoded, EncodedList, ListParameters } from '../registry.ts';
import { type Resource, collectionPrefix, encoded, objectKey } from '../resource.ts';
import { type Selection, parseSelection } from './selection.ts';
import {
  interpretExactRead,
  listMode,
  parseVersion,
  showsPresent,
  waitForVersion,
} from './resource-version.ts';

/** Maximum number of keys in one page of a scan for objects that a selector matches. */
const SCAN = 500;

/**
 * Reads one object, from the store if the request has no resource version, else from the cache
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions).
 */
export function getObject(
  resource: Resource,
  namespace: string,
  name: string,
  resourceVersion: string,
): Soon<Encoded> {
  const revision = parseVersion(resourceVersion);
  const key = objectKey(resource, namespace, name);
  if (revision !== undefined)
    return waitForVersion(resource, revision).then(() => cachedObject(resource, key, name));
  return whenThere(resource.storage.get(key), (stored) => {
    if (!stored) throw notFound(resource.name, name);
    return encoded(stored.value);
  });
}

function cachedObject(resource: Resource, key: string, name: string): Encoded {
  const entry = resource.cache.get(key);
  if (!entry) throw notFound(resource.name, name);
  return new EncodedEntry(entry);
}

/** Lists a collection from the cache or the store, depending on the requested resource version. */
export async function listObjects(resource: Resource, given: ListParameters): Promise<EncodedList> {
  const parameters = resource.enabled('APIListChunking') ? given : { ...given, limit: 0, continueToken: '' };
  const selection = parseSelection(resource.kind, parameters);
  const mode = listMode(parameters, resource.scheme.vocabulary);
  const query: Query = {
    prefix: collectionPrefix(resource, parameters.namespace),
    namespace: parameters.namespace,
    limit: Math.max(0, parameters.limit),
    selection,
  };
  if (parameters.continueToken !== '') {
    const from = decodeContinuation(parameters.continueToken, resource.scheme.vocabulary);
    if (parameters.resourceVersion !== '' && parameters.resourceVersion !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return listExactly(resource, query, from);
  }
  if (mode.state === 'exact') return listExactly(resource, query, { revision: mode.revision, after: '' });
  if (mode.state === 'not-older') await waitForVersion(resource, mode.revision);
  // Reads the store if the cache cannot catch up with it.
  if (mode.state === 'recent' && !(await showsPresent(resource)))
    return listExactly(resource, query, { revision: undefined, after: '' });
  return listCached(resource, query);
}

/**
 * True if the remaining items can be counted. A selector prevents that: it has not been evaluated for the
 * items of later pages.
 */
const counts = ({ enabled }: Resource, { everything }: Selection): boolean =>
  everything && enabled('RemainingItemCount');

interface Query {
  readonly prefix: string;
  readonly namespace: string;
  /** Maximum number of items; 0 means no limit. */
  readonly limit: number;
  readonly selection: Selection;
}

/**
 * Number of objects that a selector evaluates between pauses for other requests: a few milliseconds if none
 * of the objects has been parsed before.
 */
const EVALUATED = 500;

/** Lists from the cache. Revision and entries are read in the same turn, and neither changes later. */
async function listCached(resource: Resource, query: Query): Promise<EncodedList> {
  const { cache, scheme } = resource;
  const { prefix, limit, selection } = query;
  const { revision } = cache;
  const entries = candidates(resource, query);
  const fetched = entries.length;
  if (selection.everything && (limit === 0 || fetched <= limit)) {
    resource.onList?.(resource, 'cache', { fetched, evaluated: fetched, returned: fetched });
    const joined = (): readonly Buffer[] => cache.chunksOf(entries);
    return toEncodedList(resource, { revision, items: entries, joined });
  }
  const found: Entry[] = [];
  let more = false;
  let evaluated = 0;
  for (const entry of entries) {
    if ((evaluated += 1) % EVALUATED === 0) await nextSlice();
    if (!selection.everything && !selection.matchesEntry(entry)) continue;
    more = limit > 0 && found.length === limit;
    if (more) break;
    found.push(entry);
  }
  resource.onList?.(resource, 'cache', { fetched, evaluated: fetched, returned: found.length });
  const last = found.at(-1);
  if (!more || !last) return toEncodedList(resource, { revision, items: found });
  return toEncodedList(resource, {
    revision,
    items: found,
    continueToken: encodeContinuation({ revision, after: last.key.slice(prefix.length) }, scheme.vocabulary),
    remainingItemCount: counts(resource, selection) ? entries.length - found.length : undefined,
  });
}

/** Returns the entries of the collection. A selector by name is resolved by key, without parsing objects. */
function candidates(resource: Resource, { prefix, namespace, selection }: Query): readonly Entry[] {
  const { kind, cache } = resource;
  const { name } = selection;
  if (name === undefined) return cache.list(prefix);
  if (kind.namespaced && namespace === '')
    return cache.list(prefix).filter(({ key }) => key.endsWith(`/${name}`));
  const entry = cache.get(objectKey(resource, namespace, name));
  return entry ? [entry] : [];
}

/** Lists the collection at one revision of the store, beginning after a key. */
async function listExactly(resource: Resource, query: Query, from: Continuation): Promise<EncodedList> {
  const { storage, scheme } = resource;
  const { prefix, selection } = query;
  try {
    const { items, remaining, revision, fetched, evaluated } = await scan(resource, query, from);
    resource.onList?.(resource, 'storage', { fetched, evaluated, returned: items.length });
    const last = items.at(-1);
    const token =
      remaining > 0 && last
        ? encodeContinuation({ revision, after: last.key.slice(prefix.length) }, scheme.vocabulary)
        : '';
    return toEncodedList(resource, {
      revision,
      items,
      continueToken: token,
      remainingItemCount: token !== '' && counts(resource, selection) ? remaining : undefined,
    });
  } catch (thrown) {
    const current = await storage.revision();
    throw from.after === ''
      ? interpretExactRead(thrown, from.revision ?? 0, current)
      : interpretExactRead(thrown, from.revision ?? 0, current, () =>
          expiredContinuation(from.after, scheme.vocabulary),
        );
  }
}

interface Scanned {
  readonly items: readonly Value[];
  readonly remaining: number;
  readonly revision: number;
  readonly fetched: number;
  readonly evaluated: number;
}

/** Reads pages of one revision from the store until enough objects match or none is left. */
async function scan(resource: Resource, query: Query, from: Continuation): Promise<Scanned> {
  const { prefix, limit, selection } = query;
  const found: Value[] = [];
  let after = from.after === '' ? undefined : `${prefix}${from.after}`;
  let revision = from.revision;
  let fetched = 0;
  let evaluated = 0;
  for (;;) {
    const wanted = limit === 0 ? 0 : selection.everything ? limit : Math.max(SCAN, limit);
    const page = await resource.storage.list(prefix, {
      ...(revision === undefined ? {} : { revision }),
      ...(after === undefined ? {} : { after }),
      ...(wanted === 0 ? {} : { limit: wanted }),
    });
    revision ??= page.revision;
    fetched += page.items.length;
    if (fetched > page.items.length) await nextSlice();
    for (const [at, stored] of page.items.entries()) {
      evaluated += 1;
      if (!selection.everything && !isSelected(resource, selection, stored)) continue;
      found.push(stored);
      if (limit > 0 && found.length === limit)
        return {
          items: found,
          remaining: page.items.length - at - 1 + page.remaining,
          revision,
          fetched,
          evaluated,
        };
    }
    after = page.items.at(-1)?.key ?? after;
    if (page.remaining === 0 || page.items.length === 0)
      return { items: found, remaining: 0, revision, fetched, evaluated };
  }
}

/**
 * True if a selector matches a stored object. The cache's parsed object of the same revision is used if there
 * is one, to avoid parsing again.
 */
function isSelected({ cache }: Resource, selection: Selection, { key, value, revision }: Stored): boolean {
  const entry = cache.get(key);
  return entry?.revision === revision
    ? selection.matchesEntry(entry)
    : selection.matches(encoded(value).object);
}

import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, isGone } from '../../api/status/index.ts';
import { parseJson, statusError } from './response.ts';
import { deepFreeze, isRecord } from '../../base/collections/index.ts';
import type { ListOf, ListOptions, Lister, WatchEvent, WatchOptions } from './client.ts';
import { ClientError, toClientError } from './client-error.ts';
import { type ResourcePaths, withQuery } from './resource-path.ts';
import type { Calls } from './sender.ts';
import { createLineDecoder } from './watch-decoder.ts';

const PAGE_SIZE = 500;

/** Creates the list and watch calls on a collection. */
export function createLister<T extends ApiObject>(calls: Calls, paths: ResourcePaths): Lister<T> {
  const pages = (options: ListOptions<T> = {}): AsyncIterable<ListOf<T>> =>
    readPages<T>(calls, paths.collection, options);
  const gather = async (options: ListOptions<T>): Promise<ListOf<T>> => {
    let first: ListOf<T> | undefined;
    for await (const page of pages(options)) {
      if (first === undefined) first = page;
      else for (const item of page.items) first.items.push(item);
    }
    if (first === undefined) throw new ClientError('ERR_PROTOCOL', `list of ${paths.collection} has no page`);
    return first;
  };
  return {
    pages,
    list: async (options = {}) => {
      try {
        return await gather(options);
      } catch (thrown) {
        if (!isGone(thrown) || options.pageSize === 0) throw thrown;
        // The continue token expired between two pages. A list in one response has no continue token.
        return gather({ ...options, pageSize: 0 });
      }
    },
    watch: (options) => readEvents<T>(calls, paths.collection, options),
  };
}

async function* readPages<T extends ApiObject>(
  calls: Calls,
  path: string,
  options: ListOptions<T>,
): AsyncGenerator<ListOf<T>> {
  const {
    labelSelector,
    fieldSelector,
    resourceVersion,
    resourceVersionMatch,
    pageSize = PAGE_SIZE,
  } = options;
  const headers = acceptOf(calls, 'PartialObjectMetadataList', options.metadataOnly);
  let token: string | undefined;
  do {
    // A continue token includes the version; a server rejects a request that has both. See
    // https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks.
    const query = {
      labelSelector,
      fieldSelector,
      limit: pageSize > 0 ? pageSize : undefined,
      resourceVersion: token === undefined ? resourceVersion : undefined,
      resourceVersionMatch: token === undefined ? resourceVersionMatch : undefined,
      continue: token,
    };
    const answer = await calls.sender.exchange({
      method: 'GET',
      path: withQuery(path, query),
      headers,
      body: undefined,
      signal: options.signal,
      timeoutMs: calls.timeoutMs,
      limitBytes: calls.limits.listBytes,
    });
    const page = parsePage<T>(calls, answer.text, path, options);
    if (page.next !== undefined && page.next === token)
      throw new ClientError('ERR_PROTOCOL', `the list of ${path} repeats the same continue token`);
    token = page.next;
    yield page.list;
  } while (token !== undefined);
}

/**
 * Returns the `Accept` header for the kind `as`. The header also accepts whole objects, for servers without
 * support for metadata requests.
 */
const acceptOf = ({ metaGroup }: Calls, as: string, wanted: boolean | undefined) =>
  wanted === true ? { accept: `application/json;as=${as};g=${metaGroup};v=v1,application/json` } : undefined;

/**
 * Returns the object with its metadata only and with the kind of the collection, since the server may send
 * another kind.
 */
const metadataOf = ({ typeMeta }: Calls, object: Record<string, unknown>): Record<string, unknown> => ({
  kind: typeMeta.kind,
  apiVersion: typeMeta.apiVersion,
  metadata: object['metadata'],
});

function parsePage<T extends ApiObject>(
  calls: Calls,
  text: string,
  path: string,
  { metadataOnly, transform }: ListOptions<T>,
): { list: ListOf<T>; next: string | undefined } {
  const parsed = parseJson(text, `the list of ${path}`);
  const items = isRecord(parsed) ? (parsed['items'] ?? []) : undefined;
  if (!isRecord(parsed) || !Array.isArray(items))
    throw new ClientError('ERR_PROTOCOL', `the list of ${path} has no items`);
  const metadata = isRecord(parsed['metadata']) ? parsed['metadata'] : {};
  const { resourceVersion = '', continue: next } = metadata;
  return {
    list: {
      resourceVersion: String(resourceVersion),
      items: items.map((item: unknown) => {
        if (!isRecord(item))
          throw new ClientError('ERR_PROTOCOL', `the list of ${path} has an item that is not an object`);
        // Servers omit the kind of list items, but a reader of a single item needs it.
        item['apiVersion'] ??= calls.typeMeta.apiVersion;
        item['kind'] ??= calls.typeMeta.kind;
        const read = (metadataOnly === true ? metadataOf(calls, item) : item) as DeepReadonly<T>;
        return asKept(read, transform);
      }),
    },
    next: typeof next === 'string' && next !== '' ? next : undefined,
  };
}

/** Transforms and freezes an object. The transform runs first, so that removed parts are not frozen. */
const asKept = <T>(read: DeepReadonly<T>, transform: ListOptions<T>['transform']): DeepReadonly<T> =>
  deepFreeze(transform === undefined ? read : transform(read)) as DeepReadonly<T>;

async function* readEvents<T>(
  calls: Calls,
  path: string,
  options: WatchOptions<T>,
): AsyncGenerator<WatchEvent<T>> {
  const { labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks, timeoutSeconds } = options;
  const query = {
    watch: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    allowWatchBookmarks: allowWatchBookmarks ? true : undefined,
    timeoutSeconds,
  };
  const stream = await calls.sender.open({
    method: 'GET',
    path: withQuery(path, query),
    headers: acceptOf(calls, 'PartialObjectMetadata', options.metadataOnly),
    body: undefined,
    signal: options.signal,
    timeoutMs: calls.timeoutMs,
    limitBytes: calls.limits.objectBytes,
  });
  options.onOpen?.();
  const decoder = createLineDecoder();
  try {
    for await (const chunk of stream.body)
      for (const line of decoder.push(chunk)) yield parseEvent<T>(calls, line, path, options);
    const rest = decoder.rest();
    if (rest !== undefined) yield parseEvent<T>(calls, rest, path, options);
  } catch (thrown) {
    if (stream.signal.aborted) throw stream.signal.reason;
    throw isErrorResponse(thrown) ? thrown : toClientError(thrown);
  } finally {
    stream.close();
  }
}

const isErrorResponse = (thrown: unknown): boolean => thrown instanceof ApiError;

function parseEvent<T>(
  calls: Calls,
  line: string,
  path: string,
  { metadataOnly, transform }: WatchOptions<T>,
): WatchEvent<T> {
  const event = parseJson(line, `a watch event of ${path}`);
  const type = isRecord(event) ? event['type'] : undefined;
  const object = isRecord(event) ? event['object'] : undefined;
  if (type === 'ERROR') throw statusError(object, 500, `the watch of ${path}`);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK')
    throw new ClientError(
      'ERR_PROTOCOL',
      `a watch event of ${path} has type ${JSON.stringify(type)}, expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR`,
    );
  if (!isRecord(object)) throw new ClientError('ERR_PROTOCOL', `a watch event of ${path} has no object`);
  const read = (metadataOnly === true ? metadataOf(calls, object) : object) as DeepReadonly<T>;
  return { type, object: asKept(read, transform) };
}

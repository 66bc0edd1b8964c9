import { BODY_LIMIT } from '../../../apiserver/http/request/bodies.ts';
import { LONG } from '../../long.ts';
import type { CostServer, CostlyRequest } from '../cost.ts';

// Requests that are expensive after their body was parsed: in admission, authorization, selectors, lists, and
// responses of webhooks.

/** A request, and the state on which its cost depends. */
export interface RequestCase {
  readonly what: string;
  /** Stores objects that a user can create. Runs before the measurement. */
  readonly prepare?: (server: CostServer) => Promise<void>;
  readonly request: () => CostlyRequest;
  /** Expected status code of a legitimate request; default any. */
  readonly status?: number;
}

/** Size in bytes of a generated body. The decoder limits lists of structs further. */
export const BYTES = LONG ? BODY_LIMIT - 1_000 : BODY_LIMIT / 3;

export const LIST_BYTES = 300_000;

/** Number of objects in a large collection. */
export const OBJECTS = LONG ? 5_000 : 300;

/** Size in bytes of a URL, or of all headers. The listener's limit is 64 KiB. */
export const HEADER_BYTES = 60_000;

/** Returns the numbers from 0 to `count` - 1. */
export const listed = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Returns as many items as fit into `bytes`. */
export function fill<T>(item: (at: number) => T, bytes: number = BYTES): T[] {
  const items: T[] = [];
  for (let left = bytes; ;) {
    const next = item(items.length);
    left -= JSON.stringify(next).length + 1;
    if (left < 0) return items;
    items.push(next);
  }
}

/** Returns a map with as many entries as fit into `bytes`. */
export const mapOf = (entry: (at: number) => readonly [string, unknown], bytes?: number): object =>
  Object.fromEntries(fill(entry, bytes));

/** Path of the core namespaces. */
export const core = '/api/v1/namespaces';

/** Returns a create request with `dryRun=All`. */
export const post = (path: string, body: object): CostlyRequest => ({
  method: 'POST',
  path: `${path}?dryRun=All`,
  body: JSON.stringify(body),
});

/** Returns a request to create a pod. */
export const pod = (spec: object, namespace = 'default', metadata: object = {}): CostlyRequest =>
  post(`${core}/${namespace}/pods`, { metadata: { name: 'p', ...metadata }, spec });

/** Returns a preparation that creates a namespace in which pods can be created. */
export const namespace =
  (name: string, metadata: object = {}, ...objects: readonly (readonly [string, object])[]) =>
  async ({ prepare }: CostServer): Promise<void> => {
    await prepare('POST', core, { metadata: { name, ...metadata } });
    await prepare('POST', `${core}/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const [plural, object] of objects) await prepare('POST', `${core}/${name}/${plural}`, object);
  };

/** Returns a preparation that runs several preparations in order. */
export const several =
  (...all: readonly ((server: CostServer) => Promise<void>)[]) =>
  async (server: CostServer): Promise<void> => {
    for (const each of all) await each(server);
  };

/** Returns a preparation that creates a collection of objects. */
export const collection =
  (path: string, count: number, object: (at: number) => object) =>
  async ({ prepare }: CostServer): Promise<void> => {
    for (let at = 0; at < count; at += 50)
      await Promise.all(
        listed(Math.min(50, count - at)).map((each) =>
          prepare('POST', path, { metadata: { name: `o${at + each}` }, ...object(at + each) }),
        ),
      );
  };

import { isRecord } from '../../base/collections/index.ts';
import { type Belief, Beliefs } from './beliefs.ts';
import { isIncidental, keyOf, keyOfObject, objectIn } from './keys.ts';
import type { WireHistory, WireRequest, WireVersion } from './wire-history.ts';

/** A write of the client that the API server executed, with its effect. */
export interface Effect {
  readonly request: WireRequest;
  readonly key: string;
  /** Stored version before the write; undefined if there was none. */
  readonly before: WireVersion | undefined;
  /** Stored version after the write. Equal to `before` if the write changed nothing. */
  readonly after: WireVersion | undefined;
  /**
   * Newest state of the object that the client had received when it sent the write. Undefined if it had
   * received none.
   */
  readonly belief: Belief | undefined;
}

/** A history, and the relations between its entries that the rules need. */
export interface Reading {
  readonly history: WireHistory;
  readonly requests: readonly WireRequest[];
  /** Writes that the API server executed, in their order, except writes of leases and Events. */
  readonly effects: readonly Effect[];
  /** Stored versions of each object, oldest first. */
  readonly versions: ReadonlyMap<string, readonly WireVersion[]>;
  readonly beliefs: Beliefs;
  /** Objects that exist at the end. */
  readonly final: readonly WireVersion[];
  /** Uids of the objects that the client created. */
  readonly created: ReadonlySet<string>;
}

const CHANGES = new Set(['create', 'update', 'patch', 'delete']);

/** True if the API server executed the request successfully. */
export const isCarriedOut = ({ carried }: WireRequest): boolean =>
  carried !== undefined && carried.status >= 200 && carried.status < 300;

/** Returns a history with the relations between its writes, versions and deliveries. */
export function read(history: WireHistory): Reading {
  const versions = new Map<string, WireVersion[]>();
  for (const version of history.versions) {
    const key = keyOfObject(version.resource, version.object);
    versions.set(key, [...(versions.get(key) ?? []), version]);
  }
  for (const all of versions.values()) all.sort((a, b) => a.revision - b.revision);
  const requests = history.entries.filter((entry) => entry.type === 'request');
  const beliefs = new Beliefs(history.entries);
  const claimed = new Set<WireVersion>();
  const effects = requests
    .filter((each) => CHANGES.has(each.verb) && !isIncidental(each.resource) && isCarriedOut(each))
    .sort((a, b) => (a.carriedSeq ?? 0) - (b.carriedSeq ?? 0))
    .filter((each) => !('dryRun' in each.query) && isOwnSubresource(each))
    .map((request) => effectOf(request, versions, beliefs, claimed));
  return {
    history,
    requests,
    effects,
    versions,
    beliefs,
    final: [...versions.values()].flatMap((all) => all.at(-1) ?? []).filter(({ deleted }) => !deleted),
    created: new Set(
      effects.flatMap(({ request, after }) =>
        request.verb === 'create' ? (after?.object.metadata.uid ?? []) : [],
      ),
    ),
  };
}

/**
 * True if the request stores the object in its path. Requests to other subresources, such as `token`, create
 * another object.
 */
const isOwnSubresource = ({ subresource }: WireRequest): boolean => ['', 'status'].includes(subresource);

function effectOf(
  request: WireRequest,
  versions: ReadonlyMap<string, readonly WireVersion[]>,
  beliefs: Beliefs,
  claimed: Set<WireVersion>,
): Effect {
  const body = objectIn(request.carried?.body);
  const name = request.name === '' ? (body?.metadata.name ?? '') : request.name;
  const key = keyOf(request.resource, request.namespace, name);
  const all = versions.get(key) ?? [];
  const at =
    request.verb === 'delete'
      ? deletionIn(all, request, claimed)
      : all.findIndex(({ object }) => object.metadata.resourceVersion === body?.metadata.resourceVersion);
  const after = all[at];
  const isNew = after !== undefined && !claimed.has(after) && isAfter(after, request);
  if (isNew) claimed.add(after);
  const earlier = isNew ? all[at - 1] : after;
  const before = earlier?.deleted === true ? undefined : earlier;
  return { request, key, before, after, belief: beliefs.of(request.run, key, request.seq) };
}

/** False if the version was stored before the write was sent. Such a write changed nothing. */
const isAfter = ({ seq }: WireVersion, { seq: sent }: WireRequest): boolean => seq > sent;

/** Returns the index of the version that a delete created: a removal, or an object with a deletion time. */
function deletionIn(
  all: readonly WireVersion[],
  request: WireRequest,
  claimed: ReadonlySet<WireVersion>,
): number {
  const uid = uidOf(request.carried?.body);
  return all.findIndex(
    (version) =>
      !claimed.has(version) &&
      version.seq > request.seq &&
      (version.deleted || version.object.metadata.deletionTimestamp !== undefined) &&
      (uid === undefined || version.object.metadata.uid === uid),
  );
}

/**
 * Returns the uid in the response to a delete. It is in the metadata of the object, or in the details of a
 * Status.
 */
function uidOf(body: unknown): string | undefined {
  const own = objectIn(body)?.metadata.uid;
  if (own !== undefined) return own;
  const details = isRecord(body) ? body['details'] : undefined;
  const uid = isRecord(details) ? details['uid'] : undefined;
  return typeof uid === 'string' ? uid : undefined;
}

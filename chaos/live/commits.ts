import { type ApiObject, type DeepReadonly, type Scheme, keyOf } from '../../api/kinds/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { commitVerbs, decidedIn, isTarget } from '../world/history.ts';
import type { CarriedWrite } from './carried.ts';
import type { StoredChange } from './changes.ts';

type Stored = DeepReadonly<ApiObject>;

/** Time in milliseconds in which a commit may be observed after its request ended without a response. */
const LATE_MS = 60_000;

/**
 * Reconstructs the commits of a store from its changes, in order and with their senders.
 *
 * A commit is attributed by the version in a response, or else to a matching request of that time. All other
 * commits are attributed to the server.
 */
export function commitsOf(
  initial: readonly StoredChange[],
  changes: readonly StoredChange[],
  writes: readonly CarriedWrite[],
  scheme: Scheme,
): readonly Commit[] {
  const sorted = inOrder(changes);
  const causes = causesOf(sorted, writes, scheme);
  const objects = new Map(initial.map((change) => [placeOf(change), change.object]));
  let lastMs = 0;
  return sorted.map((change, step): Commit => {
    const place = placeOf(change);
    const before = objects.get(place);
    const after = change.type === 'DELETED' ? undefined : change.object;
    if (after === undefined) objects.delete(place);
    else objects.set(place, after);
    const cause = causes.get(change);
    const observedMs = Math.min(change.observedMs, cause?.endedMs ?? Infinity);
    lastMs = Math.max(lastMs, observedMs);
    return commitOf({ change, before, after, cause, step, atMs: lastMs });
  });
}

/** Sorts changes by revision and removes duplicates, which a restarted watch may deliver. */
function inOrder(changes: readonly StoredChange[]): readonly StoredChange[] {
  const byRevision = new Map<string, StoredChange>();
  for (const change of changes) {
    const name = `${change.revision} ${placeOf(change)}`;
    if (!byRevision.has(name)) byRevision.set(name, change);
  }
  return [...byRevision.values()].toSorted((a, b) => a.revision - b.revision);
}

const placeOf = ({ resource, object }: StoredChange): string => `${resource} ${keyOf(object as ApiObject)}`;

function causesOf(
  changes: readonly StoredChange[],
  writes: readonly CarriedWrite[],
  scheme: Scheme,
): ReadonlyMap<StoredChange, CarriedWrite> {
  const causes = new Map<StoredChange, CarriedWrite>();
  const used = new Set<CarriedWrite>();
  const possible = writes.filter(({ status = 200 }) => status < 300);
  const answered = new Map<string, CarriedWrite>();
  // The first write whose response has a version made the change; later writes with the same version changed
  // nothing.
  for (const write of possible)
    if (write.resourceVersion !== undefined && !answered.has(write.resourceVersion) && hasMade(write))
      answered.set(write.resourceVersion, write);
  for (const change of changes) {
    const write = answered.get(String(change.revision));
    if (write === undefined || write.sentMs > change.observedMs) continue;
    if (!isTarget(write.info, change.resource, scheme)) continue;
    causes.set(change, write);
    used.add(write);
  }
  for (const change of changes) {
    if (causes.has(change)) continue;
    const write = possible.findLast(
      (each) => (!used.has(each) || isMany(each)) && mayHaveCaused(each, change, scheme),
    );
    if (write === undefined) continue;
    causes.set(change, write);
    used.add(write);
  }
  return causes;
}

/**
 * True if a write can have created the version in its response. A write that deleted its object returns the
 * previous version.
 */
const hasMade = ({ info, body, resourceVersion }: CarriedWrite): boolean =>
  decidedIn(info, body).resourceVersion !== resourceVersion;

const isMany = ({ info }: CarriedWrite): boolean => info.verb === 'deletecollection';

function mayHaveCaused(write: CarriedWrite, change: StoredChange, scheme: Scheme): boolean {
  const { info, sentMs, endedMs = Infinity } = write;
  const { namespace = '', name, uid, deletionTimestamp } = change.object.metadata ?? {};
  if (sentMs > change.observedMs || change.observedMs > endedMs + LATE_MS) return false;
  if (info.namespace !== namespace && !(info.resource === 'namespaces' && namespace === '')) return false;
  if (!isTarget(info, change.resource, scheme)) return false;
  const asked = info.name || write.name || namedBy(write.body);
  if (!isMany(write) && asked !== name) return false;
  if (write.uid !== undefined && write.uid !== uid) return false;
  // A response with a version identifies its commit, unless the write deleted the object.
  if (write.resourceVersion !== undefined && change.type !== 'DELETED') return false;
  switch (commitVerbs[info.verb]) {
    case 'create':
      return change.type === 'ADDED';
    case 'delete':
      return change.type === 'DELETED' || (change.type === 'MODIFIED' && deletionTimestamp !== undefined);
    default:
      // Removing the last finalizer deletes the object, so any change but a creation matches.
      return change.type !== 'ADDED';
  }
}

const namedBy = (body: unknown): string | undefined =>
  (body as { readonly metadata?: { readonly name?: string } } | undefined)?.metadata?.name;

interface Happened {
  readonly change: StoredChange;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  readonly cause: CarriedWrite | undefined;
  readonly step: number;
  readonly atMs: number;
}

function commitOf({ change, before, after, cause, step, atMs }: Happened): Commit {
  const { namespace = '', name = '', uid = '' } = change.object.metadata ?? {};
  const happened = before === undefined ? 'create' : after === undefined ? 'delete' : 'update';
  return {
    step,
    atMs,
    actor: cause?.actor ?? 'apiserver',
    verb: (cause && commitVerbs[cause.info.verb]) ?? happened,
    resource: change.resource,
    namespace,
    name,
    uid,
    ...(cause && {
      node: cause.party,
      sentMs: cause.sentMs,
      decidedOn: decidedIn(cause.info, cause.body),
      ...(cause.info.subresource !== '' && { subresource: cause.info.subresource }),
    }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

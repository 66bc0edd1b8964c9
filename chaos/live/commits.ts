import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { type Scheme, keyOf } from '../../api/kinds/scheme.ts';
import type { Commit } from '../invariants/invariant.ts';
import { commitVerbs, decidedIn, isTarget } from '../world/history.ts';
import type { CarriedWrite } from './carried.ts';
import type { StoredChange } from './changes.ts';

type Stored = DeepReadonly<ApiObject>;

/** How long after the end of an unanswered request its commit may still be heard of, milliseconds. */
const LATE_MS = 60_000;

/**
 * The commits that the changes of a store were, in their order, each with whose request it was: told by the version in the
 * answer, else by what was asked of the object meanwhile. What nobody asked for the server did of its own accord.
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
    const heardMs = Math.min(change.heardMs, cause?.endedMs ?? Infinity);
    lastMs = Math.max(lastMs, heardMs);
    return commitOf({ change, before, after, cause, step, atMs: lastMs });
  });
}

/** By revision, each once: a watch that begins anew may tell something twice. */
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
  // A later one with the same version has changed nothing.
  for (const write of possible)
    if (write.resourceVersion !== undefined && !answered.has(write.resourceVersion) && hasMade(write))
      answered.set(write.resourceVersion, write);
  for (const change of changes) {
    const write = answered.get(String(change.revision));
    if (write === undefined || write.sentMs > change.heardMs) continue;
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

/** Whether the version that it was answered with can be its own: what it took away is told of as it was before. */
const hasMade = ({ info, body, resourceVersion }: CarriedWrite): boolean =>
  decidedIn(info, body).resourceVersion !== resourceVersion;

const isMany = ({ info }: CarriedWrite): boolean => info.verb === 'deletecollection';

function mayHaveCaused(write: CarriedWrite, change: StoredChange, scheme: Scheme): boolean {
  const { info, sentMs, endedMs = Infinity } = write;
  const { namespace = '', name, uid, deletionTimestamp } = change.object.metadata ?? {};
  if (sentMs > change.heardMs || change.heardMs > endedMs + LATE_MS) return false;
  if (info.namespace !== namespace && !(info.resource === 'namespaces' && namespace === '')) return false;
  if (!isTarget(info, change.resource, scheme)) return false;
  const asked = info.name || write.name || namedBy(write.body);
  if (!isMany(write) && asked !== name) return false;
  if (write.uid !== undefined && write.uid !== uid) return false;
  // An answer with a version tells of its own commit, unless that took the object away.
  if (write.resourceVersion !== undefined && change.type !== 'DELETED') return false;
  switch (commitVerbs[info.verb]) {
    case 'create':
      return change.type === 'ADDED';
    case 'delete':
      return change.type === 'DELETED' || (change.type === 'MODIFIED' && deletionTimestamp !== undefined);
    default:
      // The last finalizer that goes takes its object with it.
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

import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { OwnerReference } from '../../../api/types/meta-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  verdict,
} from '../../invariants/invariant.ts';

type Any = DeepReadonly<ApiObject>;
type Owner = DeepReadonly<OwnerReference>;

const CONTROLLER = 'garbagecollector';
const OWN_FINALIZERS = ['orphan', 'foregroundDeletion'];

const ownersOf = (object: Any | undefined): readonly Owner[] => object?.metadata?.ownerReferences ?? [];
const finalizersOf = (object: Any | undefined): readonly string[] => object?.metadata?.finalizers ?? [];
const isWaiting = (object: Any): boolean =>
  object.metadata?.deletionTimestamp !== undefined && finalizersOf(object).includes('foregroundDeletion');
const isOrphaning = (object: Any | undefined): boolean =>
  object?.metadata?.deletionTimestamp !== undefined && finalizersOf(object).includes('orphan');
/**
 * Maximum delay of watches on other resources than the owner's, in milliseconds. Changes in that time may be
 * unknown to every client.
 */
const LONGEST_LAG_MS = 10 * 60_000;
/**
 * Returns the revision of an object. NaN in the explorer, whose versions are names; no version then counts as
 * newer.
 */
const revisionOf = ({ metadata }: Any): number => Number(metadata?.resourceVersion ?? 0);
/**
 * Returns a predicate: true if a collector that releases `owner` has seen an object. Within the owner's
 * resource, it has seen all changes up to the owner's version.
 */
const isSeen = (owner: Any, atMs: number) => {
  return (object: Any): boolean =>
    object.kind === owner.kind
      ? !(revisionOf(object) > revisionOf(owner))
      : atMs - (fromTime(object.metadata?.creationTimestamp) ?? -Infinity) > LONGEST_LAG_MS;
};
const uidsOf = (objects: readonly Any[]): readonly string[] =>
  objects.map(({ metadata }) => metadata?.uid ?? '').sort();

/** Creates look-ups over the garbage-collected resources. */
function lookupIn(resources: readonly string[]) {
  const all = (live: LiveView): readonly Any[] => resources.flatMap((resource) => live.list(resource));
  const find = (live: LiveView, uid: string): Any | undefined => {
    for (const resource of resources)
      for (const each of live.list(resource)) if (each.metadata?.uid === uid) return each;
    return undefined;
  };
  /**
   * Returns an owner that exists, has the right kind and may own the object. `waits` selects owners that wait
   * for dependents.
   */
  const ownerOf = (live: LiveView, object: Any, waits: boolean): Owner | undefined =>
    ownersOf(object).find((owner) => {
      const found = find(live, owner.uid);
      if (!found || found.kind !== owner.kind || isWaiting(found) !== waits) return false;
      return !found.metadata?.namespace || found.metadata.namespace === object.metadata?.namespace;
    });
  const solidOwner = (live: LiveView, object: Any): Owner | undefined => ownerOf(live, object, false);
  const waitingOwner = (live: LiveView, object: Any): Owner | undefined => ownerOf(live, object, true);
  const dependents = (live: LiveView, uid: string): readonly Any[] =>
    all(live).filter((each) => ownersOf(each).some((owner) => owner.uid === uid));
  /**
   * True if an object that does not wait blocks the deletion of the given object, directly or through waiting
   * objects.
   */
  const isHeld = (live: LiveView, object: Any): boolean => {
    const reached = new Set<string>();
    const open = [object.metadata?.uid ?? ''];
    for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
      if (reached.has(uid)) continue;
      reached.add(uid);
      const owner = uid;
      const blockers = dependents(live, owner).filter((each) =>
        ownersOf(each).some((to) => to.uid === owner && to.blockOwnerDeletion === true),
      );
      if (blockers.some((each) => !isWaiting(each))) return true;
      open.push(...uidsOf(blockers));
    }
    return false;
  };
  return { all, find, solidOwner, waitingOwner, dependents, isHeld };
}
type Lookup = ReturnType<typeof lookupIn>;

const onWrite = (
  id: string,
  says: string,
  judge: (commit: Commit & { readonly before: Any }, live: LiveView) => string | undefined | false,
): Invariant =>
  invariant({
    id,
    says,
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      const { before, actor } = commit;
      if (actor !== CONTROLLER || !before) return verdict(state, false);
      const found = judge({ ...commit, before }, live);
      return found === false ? verdict(state, false) : verdict(state, true, found);
    },
  });

const nevers = ({ find, solidOwner, dependents }: Lookup): readonly Invariant[] => [
  invariant<readonly string[]>({
    id: 'garbagecollector/no-owned-deletion',
    says: 'never deletes an object with an owner, except in the foreground deletion of that owner',
    controller: CONTROLLER,
    kind: 'never',
    // Uids of owners whose foreground deletion has ended while another finalizer holds them.
    initial: () => [],
    onCommit(over, commit, live) {
      const { before, after, actor, verb, name, uid } = commit;
      const isOver = before !== undefined && isWaiting(before) && after !== undefined && !isWaiting(after);
      const known = isOver ? [...over, uid].sort() : over;
      const isDeletion = actor === CONTROLLER && verb === 'delete' && before !== undefined;
      if (!isDeletion || before.metadata?.deletionTimestamp !== undefined) return verdict(known, false);
      const owner = solidOwner(live, before);
      const isWrong = owner !== undefined && !known.includes(owner.uid);
      return verdict(known, true, isWrong ? `deleted ${name}, whose owner ${owner.name} exists` : undefined);
    },
  }),
  onWrite(
    'garbagecollector/no-ownerless-deletion',
    'never deletes an object without owner references',
    ({ before, verb, name }) => {
      if (verb !== 'delete' || before.metadata?.deletionTimestamp !== undefined) return false;
      return ownersOf(before).length === 0 ? `deleted ${name}, which has no owner references` : undefined;
    },
  ),
  invariant<{ readonly [owner: string]: readonly string[] }>({
    id: 'garbagecollector/no-early-orphan-release',
    says: 'an orphaning owner is released after all references that existed when it was deleted',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(referring, { before, after, uid, name, actor, atMs }, live) {
      // A reference that is added while the finalizer is being removed is unknown to every client.
      if (isOrphaning(after) && !isOrphaning(before))
        return verdict({ ...referring, [uid]: uidsOf(dependents(live, uid)) }, false);
      const { [uid]: known = [], ...others } = referring;
      if (!before || !isOrphaning(before) || isOrphaning(after)) return verdict(referring, false);
      const left = dependents(live, uid)
        .filter(isSeen(before, atMs))
        .find(({ metadata }) => known.includes(metadata?.uid ?? ''));
      const found = left && `released ${name} while ${left.metadata?.name ?? ''} referred to it`;
      return verdict(others, actor === CONTROLLER, actor === CONTROLLER ? found : undefined);
    },
  }),
  onWrite(
    'garbagecollector/no-early-foreground-release',
    'a foreground owner is released after its blocking dependents',
    (commit, live) => {
      const { before, after, uid, name, atMs } = commit;
      if (!isWaiting(before) || (after && isWaiting(after))) return false;
      const left = dependents(live, uid)
        .filter(isSeen(before, atMs))
        .find((each) =>
          ownersOf(each).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
        );
      return left && `released ${name} while ${left.metadata?.name ?? ''} blocked it`;
    },
  ),
  onWrite(
    'garbagecollector/no-foreign-finalizer-removed',
    'removes only its own finalizers',
    ({ before, after, name }) => {
      if (!after) return false;
      const lost = finalizersOf(before).find(
        (each) => !OWN_FINALIZERS.includes(each) && !finalizersOf(after).includes(each),
      );
      return lost && `removed ${lost} from ${name}`;
    },
  ),
  onWrite(
    'garbagecollector/no-live-reference-removed',
    'removes no reference to an existing owner',
    (commit, live) => {
      const { before, after, name } = commit;
      if (!after || commit.verb === 'delete') return false;
      const lost = ownersOf(before).find(({ uid }) => {
        const owner = find(live, uid);
        const isGoing = owner !== undefined && owner.metadata?.deletionTimestamp !== undefined;
        return !ownersOf(after).some((each) => each.uid === uid) && owner !== undefined && !isGoing;
      });
      return lost && `removed the reference to ${lost.name} from ${name}`;
    },
  ),
];

const eventuallies = ({ all, find, solidOwner, waitingOwner, isHeld }: Lookup): readonly Invariant[] => [
  invariant({
    id: 'garbagecollector/garbage-is-deleted',
    says: 'an object without remaining owners is deleted',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, { actor, verb, before }, live) {
      const isCollected = actor === CONTROLLER && verb === 'delete' && ownersOf(before).length > 0;
      return verdict(state, isCollected && !ownersOf(before).some(({ uid }) => find(live, uid)));
    },
    atRest(state, live) {
      const uids = new Set(uidsOf(all(live)));
      const left = all(live).find(
        (each) =>
          ownersOf(each).length > 0 &&
          each.metadata?.deletionTimestamp === undefined &&
          !ownersOf(each).some(({ uid }) => uids.has(uid)),
      );
      return verdict(
        state,
        left !== undefined,
        left && `${left.metadata?.name ?? ''} has no owners left and still exists`,
      );
    },
  }),
  invariant({
    id: 'garbagecollector/no-stuck-foreground',
    says: 'a waiting owner is deleted when only waiting objects block it; its dependents are deleted or release it',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, { actor, before, after }) {
      const isOurs = actor === CONTROLLER && before?.metadata?.deletionTimestamp !== undefined;
      const isReleased = finalizersOf(before).some(
        (name) => OWN_FINALIZERS.includes(name) && !finalizersOf(after).includes(name),
      );
      return verdict(state, isOurs && isReleased);
    },
    atRest(state, live) {
      const left = all(live).find((each) => {
        const isOurs = finalizersOf(each).some((name) => OWN_FINALIZERS.includes(name));
        return each.metadata?.deletionTimestamp !== undefined && isOurs && !isHeld(live, each);
      });
      if (left) return verdict(state, true, `${left.metadata?.name ?? ''} is not blocked and still exists`);
      const waiting = new Set(uidsOf(all(live).filter(isWaiting)));
      const idle = all(live).find(
        (each) =>
          each.metadata?.deletionTimestamp === undefined &&
          ownersOf(each).some(({ uid }) => waiting.has(uid)) &&
          waitingOwner(live, each) !== undefined,
      );
      return verdict(
        state,
        idle !== undefined,
        idle && `${idle.metadata?.name ?? ''} is not deleted although its owner waits for it`,
      );
    },
  }),
  invariant({
    id: 'garbagecollector/no-dangling-reference',
    says: 'references to deleted owners are removed if another owner remains',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    onCommit(state, { actor, before, after }, live) {
      if (actor !== CONTROLLER || !before || !after) return verdict(state, false);
      const lost = ownersOf(before).filter(({ uid }) => !ownersOf(after).some((each) => each.uid === uid));
      const isRelease = lost.some(({ uid }) => !find(live, uid)) && solidOwner(live, after) !== undefined;
      return verdict(state, isRelease);
    },
    atRest(state, live) {
      const uids = new Set(uidsOf(all(live)));
      const left = all(live).find(
        (each) =>
          each.metadata?.deletionTimestamp === undefined &&
          ownersOf(each).some(({ uid }) => !uids.has(uid)) &&
          solidOwner(live, each) !== undefined,
      );
      return verdict(
        state,
        left !== undefined,
        left && `${left.metadata?.name ?? ''} refers to a deleted owner`,
      );
    },
  }),
];

/**
 * Returns the invariants about the garbage collection of resources. Resources have the format of
 * `resourceOf`.
 */
export function garbageCollectorInvariants(resources: readonly string[]): readonly Invariant[] {
  const lookup = lookupIn(resources);
  return [...nevers(lookup), ...eventuallies(lookup)];
}

import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { type Commit, type Invariant, type LiveView, invariant, verdict } from './invariant.ts';

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
/** How long the watch of another resource than the owner's may be behind: what it has yet to show, no client can know of. */
const LONGEST_LAG_MS = 10 * 60_000;
/** Not a number where versions are names, as the explorer's are: then none is known to be newer. */
const revisionOf = ({ metadata }: Any): number => Number(metadata?.resourceVersion ?? 0);
/** What a collector that lets `owner` go has seen: of the owner's own resource what is no newer than the owner it decided on. */
const isSeen = (owner: Any, atMs: number) => {
  return (object: Any): boolean =>
    object.kind === owner.kind
      ? !(revisionOf(object) > revisionOf(owner))
      : atMs - (fromTime(object.metadata?.creationTimestamp) ?? -Infinity) > LONGEST_LAG_MS;
};
const uidsOf = (objects: readonly Any[]): readonly string[] =>
  objects.map(({ metadata }) => metadata?.uid ?? '').sort();

/** Looks objects up among the resources that are garbage-collected. */
function lookupIn(resources: readonly string[]) {
  const all = (live: LiveView): readonly Any[] => resources.flatMap((resource) => live.list(resource));
  const find = (live: LiveView, uid: string): Any | undefined => {
    for (const resource of resources)
      for (const each of live.list(resource)) if (each.metadata?.uid === uid) return each;
    return undefined;
  };
  /** Exists, is the one meant, lies where it can own; whether it waits for its dependents. */
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
  /** Whether something that does not wait blocks it, or blocks what waits and blocks it. */
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
  onWrite('garbagecollector/N1', 'never deletes what has an owner', ({ before, verb, name }, live) => {
    if (verb !== 'delete' || before.metadata?.deletionTimestamp !== undefined) return false;
    const owner = solidOwner(live, before);
    return owner && `deleted ${name}, whose owner ${owner.name} is there`;
  }),
  onWrite(
    'garbagecollector/N2',
    'never deletes what has no reference to an owner',
    ({ before, verb, name }) => {
      if (verb !== 'delete' || before.metadata?.deletionTimestamp !== undefined) return false;
      return ownersOf(before).length === 0 ? `deleted ${name}, which is nobody's` : undefined;
    },
  ),
  invariant<{ readonly [owner: string]: readonly string[] }>({
    id: 'garbagecollector/N5',
    says: 'an orphaning owner goes after every reference there was to it when it was deleted',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(referring, { before, after, uid, name, actor, atMs }, live) {
      // What refers to it later may come when its finalizer is on the way out: no client can know.
      if (isOrphaning(after) && !isOrphaning(before))
        return verdict({ ...referring, [uid]: uidsOf(dependents(live, uid)) }, false);
      const { [uid]: known = [], ...others } = referring;
      if (!before || !isOrphaning(before) || isOrphaning(after)) return verdict(referring, false);
      const left = dependents(live, uid)
        .filter(isSeen(before, atMs))
        .find(({ metadata }) => known.includes(metadata?.uid ?? ''));
      const found = left && `let ${name} go while ${left.metadata?.name ?? ''} referred to it`;
      return verdict(others, actor === CONTROLLER, actor === CONTROLLER ? found : undefined);
    },
  }),
  onWrite('garbagecollector/N6', 'a foreground owner goes after what blocks it', (commit, live) => {
    const { before, after, uid, name, atMs } = commit;
    if (!isWaiting(before) || (after && isWaiting(after))) return false;
    const left = dependents(live, uid)
      .filter(isSeen(before, atMs))
      .find((each) => ownersOf(each).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true));
    return left && `let ${name} go while ${left.metadata?.name ?? ''} blocked it`;
  }),
  onWrite('garbagecollector/N7', 'takes no finalizer away but its own', ({ before, after, name }) => {
    if (!after) return false;
    const lost = finalizersOf(before).find(
      (each) => !OWN_FINALIZERS.includes(each) && !finalizersOf(after).includes(each),
    );
    return lost && `took ${lost} from ${name}`;
  }),
  onWrite('garbagecollector/N9', 'takes no reference away whose owner is there', (commit, live) => {
    const { before, after, name } = commit;
    if (!after || commit.verb === 'delete') return false;
    const lost = ownersOf(before).find(({ uid }) => {
      const owner = find(live, uid);
      const isGoing = owner !== undefined && owner.metadata?.deletionTimestamp !== undefined;
      return !ownersOf(after).some((each) => each.uid === uid) && owner !== undefined && !isGoing;
    });
    return lost && `took the reference to ${lost.name} from ${name}`;
  }),
];

const eventuallies = ({ all, solidOwner, waitingOwner, isHeld }: Lookup): readonly Invariant[] => [
  invariant({
    id: 'garbagecollector/E1',
    says: 'what has lost all its owners goes',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
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
        true,
        left && `${left.metadata?.name ?? ''} has lost its owners and is still there`,
      );
    },
  }),
  invariant({
    id: 'garbagecollector/E2',
    says: 'what waits for its dependents goes once nothing blocks it but what waits too, and they go or let go of it',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const left = all(live).find((each) => {
        const isOurs = finalizersOf(each).some((name) => OWN_FINALIZERS.includes(name));
        return each.metadata?.deletionTimestamp !== undefined && isOurs && !isHeld(live, each);
      });
      if (left) return verdict(state, true, `${left.metadata?.name ?? ''} waits for nothing`);
      const waiting = new Set(uidsOf(all(live).filter(isWaiting)));
      const idle = all(live).find(
        (each) =>
          each.metadata?.deletionTimestamp === undefined &&
          ownersOf(each).some(({ uid }) => waiting.has(uid)) &&
          waitingOwner(live, each) !== undefined,
      );
      return verdict(state, true, idle && `${idle.metadata?.name ?? ''} stays, for which its owner waits`);
    },
  }),
  invariant({
    id: 'garbagecollector/E3',
    says: 'references to owners that are gone go, where another owner stays',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const uids = new Set(uidsOf(all(live)));
      const left = all(live).find(
        (each) =>
          each.metadata?.deletionTimestamp === undefined &&
          ownersOf(each).some(({ uid }) => !uids.has(uid)) &&
          solidOwner(live, each) !== undefined,
      );
      return verdict(state, true, left && `${left.metadata?.name ?? ''} refers to an owner that is gone`);
    },
  }),
];

/** What garbage collection does, told of the resources it is watched on, as `resourceOf` writes them. */
export function garbageCollectorInvariants(resources: readonly string[]): readonly Invariant[] {
  const lookup = lookupIn(resources);
  return [...nevers(lookup), ...eventuallies(lookup)];
}

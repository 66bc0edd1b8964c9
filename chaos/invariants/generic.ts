import { jobs } from '../../api/groups/batch-v1.ts';
import { leases } from '../../api/groups/coordination-v1.ts';
import { namespaces, pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { equalJson } from '../../api/schema/own.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { controllerOf } from '../../runtime/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type Verdict,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  resourceOf,
  verdict,
} from './invariant.ts';
import { hasRights, shownSecret, trespass } from './writes.ts';

type Any = DeepReadonly<ApiObject>;

const isController = (commit: Commit): boolean => !NO_CONTROLLERS.has(commit.actor) && !isOf(commit, leases);

/** Whose writes follow from others': events are written as they come, leases as time goes by. */
const NO_CONTROLLERS = new Set(['user', 'apiserver', 'events']);

/** What the server counts by itself. */
const COUNTERS: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);

/** Whether nothing differs but what the server counts. */
const isSame = (before: Any, after: Any): boolean =>
  sameMembers(before, after, (name) =>
    name === 'metadata'
      ? sameMembers(
          before.metadata ?? {},
          after.metadata ?? {},
          (field) => COUNTERS.has(field) || equalJson(before.metadata?.[field], after.metadata?.[field]),
        )
      : equalJson(before[name], after[name]),
  );

function sameMembers<T extends object>(left: T, right: T, isEqual: (name: keyof T) => boolean): boolean {
  for (const name in left) if (!isEqual(name)) return false;
  for (const name in right) if (!(name in left) && !isEqual(name)) return false;
  return true;
}

const numberOf = (version: string | undefined): bigint | undefined =>
  version !== undefined && /^\d+$/.test(version) ? BigInt(version) : undefined;

/** Writes of one object by one controller, without anybody else changing anything, that make a hot loop. */
const HOT_LOOP_WRITES = 12;
/** Within this time: schedules go on though nothing changes. */
const HOT_LOOP_MS = 30_000;

/** How often a controller has written an object. */
interface Written {
  readonly actor: string;
  readonly uid: string;
  readonly count: number;
}

/** In order of controllers, then of objects, so that the order of the writes makes no other state of it. */
type Writes = readonly Written[];

/** With one write more, which is counted up to what makes a hot loop. */
function withWrite(writes: Writes, { actor, uid }: Commit): readonly [Writes, count: number] {
  const isBefore = (one: Written): boolean => one.actor < actor || (one.actor === actor && one.uid < uid);
  const place = writes.findIndex((one) => !isBefore(one));
  const at = place < 0 ? writes.length : place;
  const known = writes[at];
  if (known?.actor !== actor || known.uid !== uid)
    return [writes.toSpliced(at, 0, { actor, uid, count: 1 }), 1];
  const count = Math.min(known.count + 1, HOT_LOOP_WRITES);
  return [count === known.count ? writes : writes.with(at, { actor, uid, count }), count];
}

interface Stirred {
  /** Whether somebody has changed something since. */
  readonly stirred: boolean;
}

/** A commit after all had come to rest. Whatever follows what users do is an answer to them; and what goes may have come to its time. */
function atRestAgain<State extends Stirred>(
  state: State,
  commit: Commit,
  live: LiveView,
  when: string,
): Verdict<State> {
  const { stirred } = state;
  if (!isController(commit)) return verdict({ ...state, stirred: stirred || commit.actor === 'user' }, false);
  const { actor, verb, resource, name, before } = commit;
  const isGoing = verb === 'delete' || before?.metadata?.deletionTimestamp !== undefined;
  const isIdle = stirred || isGoing || isLeftBehind(live, commit.namespace);
  return verdict(state, true, isIdle ? undefined : `${actor}: ${verb} of ${resource} ${name} ${when}`);
}

/**
 * Whether the namespace has an account that is older than it. The end of the one before did not see it, for its list was of the
 * past, and what was refused there is not asked for again for there being a namespace of that name again.
 */
function isLeftBehind(live: LiveView, name: string | undefined): boolean {
  const madeMs = (object: Any | undefined): number => fromTime(object?.metadata?.creationTimestamp) ?? NaN;
  const sinceMs = madeMs(name === undefined ? undefined : liveObject(live, namespaces, '', name));
  return liveObjects(live, serviceAccounts, name).some((account) => madeMs(account) < sinceMs);
}

/** What holds for every controller, and of the API server itself. */
export const genericInvariants: readonly Invariant[] = [
  invariant({
    id: 'generic/G1',
    says: 'every change and deletion names the object it was decided on, by uid or version',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { actor, verb, name, decidedOn = {} } = commit;
      if (!isController(commit) || !commit.before) return verdict(state, false);
      const isNamed = decidedOn.uid !== undefined || decidedOn.resourceVersion !== undefined;
      return verdict(state, true, isNamed ? undefined : `${actor}: ${verb} of whatever ${name} there was`);
    },
  }),
  invariant({
    id: 'generic/G2',
    says: 'every deletion is of the very state it was decided on, save that the end of a namespace spares nothing',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { actor, verb, name, resource, decidedOn = {} } = commit;
      if (!isController(commit) || actor === 'namespace' || verb !== 'delete') return verdict(state, false);
      const isNamed = decidedOn.resourceVersion !== undefined;
      return verdict(
        state,
        true,
        isNamed ? undefined : `${actor} deleted ${resource} ${name} in whatever state it was`,
      );
    },
  }),
  invariant({
    id: 'generic/G3',
    says: 'no write changes nothing',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { before, after, name, actor } = commit;
      if (!isController(commit) || !before || !after) return verdict(state, false);
      const isIdle = isSame(before, after);
      return verdict(state, true, isIdle ? `${actor} wrote ${name} as it was` : undefined);
    },
  }),
  invariant<{ readonly window: number; readonly writes: Writes }>({
    id: 'generic/G3-loop',
    says: 'no controller writes one object again and again while nothing else changes',
    controller: '*',
    kind: 'never',
    initial: () => ({ window: 0, writes: [] }),
    onCommit(state, commit) {
      const window = Math.floor(commit.atMs / HOT_LOOP_MS);
      if (!isController(commit)) return verdict({ window, writes: [] }, false);
      const [writes, count] = withWrite(state.window === window ? state.writes : [], commit);
      return verdict(
        { window, writes },
        true,
        count >= HOT_LOOP_WRITES ? `${commit.actor} has written ${commit.name} ${count} times` : undefined,
      );
    },
  }),
  invariant<Stirred>({
    id: 'generic/G7',
    says: 'controllers that start with nothing in their memory leave what has come to rest as it is',
    controller: '*',
    kind: 'never',
    initial: () => ({ stirred: false }),
    atRest: (state) => verdict(state, true),
    onRestart: (state, commit, live) => atRestAgain(state, commit, live, 'after a restart'),
  }),
  invariant<Stirred & { readonly resting?: true }>({
    id: 'generic/G4',
    says: 'controllers whose keys are all brought up again leave what has come to rest as it is',
    controller: '*',
    kind: 'never',
    entries: ['pass.finished'],
    initial: () => ({ stirred: false }),
    atRest: (state) => verdict({ ...state, resting: true }, false),
    onRepeat: (state, commit, live) => atRestAgain(state, commit, live, 'when it was looked at again'),
    onEntry: (state, { event }) =>
      state.resting && event !== 'started' && event.outcome !== 'failed' ? verdict(state, true) : undefined,
  }),
  invariant({
    id: 'generic/G11',
    says: 'no status is about a generation that there has not been, or says at rest what is not so',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, { after, name }) {
      const { status } = (after ?? {}) as { readonly status?: { readonly observedGeneration?: number } };
      const observed = status?.observedGeneration;
      if (observed === undefined) return verdict(state, false);
      const generation = after?.metadata?.generation ?? 0;
      const isAhead = observed > generation;
      return verdict(
        state,
        true,
        isAhead ? `${name} has observedGeneration ${observed} at generation ${generation}` : undefined,
      );
    },
    atRest(state, live) {
      const all = liveObjects(live, namespaces);
      const wrong = all.find(
        ({ metadata, status }) =>
          (metadata?.deletionTimestamp !== undefined) !== (status?.phase === 'Terminating'),
      );
      if (wrong)
        return verdict(
          state,
          true,
          `${wrong.metadata?.name ?? ''} is said to be ${wrong.status?.phase ?? ''}`,
        );
      const miscounted = liveObjects(live, jobs).find((job) => {
        const running = liveObjects(live, pods, job.metadata?.namespace).filter(
          (pod) =>
            controllerOf(pod)?.uid === job.metadata?.uid &&
            pod.metadata?.deletionTimestamp === undefined &&
            pod.status?.phase !== 'Succeeded' &&
            pod.status?.phase !== 'Failed',
        );
        return (job.status?.active ?? 0) !== running.length;
      });
      return verdict(
        state,
        all.length > 0,
        miscounted &&
          `${miscounted.metadata?.name ?? ''} says that ${miscounted.status?.active ?? 0} pods run`,
      );
    },
  }),
  invariant({
    id: 'generic/G12',
    says: 'a controller changes its own fields, and makes and deletes its own objects, alone',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const found = trespass(commit);
      return verdict(state, hasRights(commit), found && `${commit.actor} ${found} (${commit.name})`);
    },
  }),
  invariant({
    id: 'generic/G15',
    says: 'nothing that a Secret holds comes into another object',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, { actor, resource, name, after }, live) {
      if (actor === 'user' || !after || resource === resourceOf(secrets)) return verdict(state, false);
      const known = liveObjects(live, secrets);
      const from = shownSecret(after, known);
      return verdict(state, known.length > 0, from && `${resource} ${name} shows what Secret ${from} holds`);
    },
  }),
  invariant({
    id: 'apiserver/W1',
    says: 'versions of an object only grow',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, { before, after, name }) {
      if (!before || !after) return verdict(state, false);
      const [was, is] = [before.metadata?.resourceVersion, after.metadata?.resourceVersion];
      const [from, to] = [numberOf(was), numberOf(is)];
      const isWrong = from === undefined || to === undefined ? was === is : to <= from;
      return verdict(state, true, isWrong ? `${name} went from version ${was} to ${is}` : undefined);
    },
  }),
  invariant<readonly string[]>({
    id: 'apiserver/W2',
    says: 'a uid is never used again',
    controller: '*',
    kind: 'never',
    initial: () => [],
    onCommit(gone, { before, after, uid, name }) {
      if (!after) return verdict([...new Set([...gone, uid])].sort(), false);
      if (before) return verdict(gone, false);
      return verdict(
        gone,
        true,
        gone.includes(uid) ? `${name} was given the uid of one that is gone` : undefined,
      );
    },
  }),
  invariant({
    id: 'apiserver/W3',
    says: 'what is being deleted stays so, and gains no finalizer',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, { before, after, name }) {
      const since = before?.metadata?.deletionTimestamp;
      if (since === undefined || !after) return verdict(state, false);
      const had = before?.metadata?.finalizers ?? [];
      const added = (after.metadata?.finalizers ?? []).find((each) => !had.includes(each));
      const collectors = ['orphan', 'foregroundDeletion'];
      if (after.metadata?.deletionTimestamp === undefined)
        return verdict(state, true, `${name} is being deleted no more`);
      // A later request to delete may choose another propagation policy.
      const isWrong = added !== undefined && !collectors.includes(added);
      return verdict(
        state,
        true,
        isWrong ? `${name} was given the finalizer ${added} while it ended` : undefined,
      );
    },
  }),
];

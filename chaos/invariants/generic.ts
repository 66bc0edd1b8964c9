import { jobs } from '../../api/groups/batch-v1.ts';
import { leases } from '../../api/groups/coordination-v1.ts';
import { namespaces, pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { equalJson } from '../../api/schema/index.ts';
import { fromTime } from '../../base/clock/index.ts';
import { namespaceManifest } from '../../controllers/namespace/index.ts';
import { controllerOf } from '../../runtime/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  type InvariantResult,
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

/**
 * Actors that are not controllers. `events` is one of them, because Events are written as they occur and not
 * by a reconcile.
 */
const NO_CONTROLLERS = new Set(['user', 'apiserver', 'events']);

/** Metadata fields that the server maintains. */
const COUNTERS: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);

/** True if the objects differ only in server-maintained metadata. */
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

/** Number of writes of one object by one controller that count as a hot loop if no other change occurs. */
const HOT_LOOP_WRITES = 12;
/** Time window of a hot loop in milliseconds. Over longer times, schedules legitimately cause writes. */
const HOT_LOOP_MS = 30_000;

/** Number of writes of an object by a controller. */
interface Written {
  readonly actor: string;
  readonly uid: string;
  readonly count: number;
}

/** Sorted by actor and object, so that equal counts are equal states. */
type Writes = readonly Written[];

/**
 * Returns the counts after one more write, and the new count of the object; counts stop at `HOT_LOOP_WRITES`.
 */
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

interface Disturbed {
  /** True if a user has changed an object since the quiescent state. */
  readonly disturbed: boolean;
}

/**
 * Evaluates a commit in a quiescent world. Writes after user actions are allowed. Deletions are allowed
 * because they may just have become due.
 */
function quiescentWrite<State extends Disturbed>(
  state: State,
  commit: Commit,
  live: LiveView,
  when: string,
): InvariantResult<State> {
  const { disturbed } = state;
  if (!isController(commit))
    return verdict({ ...state, disturbed: disturbed || commit.actor === 'user' }, false);
  const { actor, verb, resource, name, before } = commit;
  const isGoing = verb === 'delete' || before?.metadata?.deletionTimestamp !== undefined;
  const isIdle = disturbed || isGoing || isLeftBehind(live, commit.namespace);
  return verdict(state, true, isIdle ? undefined : `${actor}: ${verb} of ${resource} ${name} ${when}`);
}

/**
 * True if the namespace has a ServiceAccount that is older than the namespace.
 *
 * Such an account survived the deletion of the previous namespace of that name, because of a stale list.
 * Creations that the previous namespace rejected are not retried when the namespace is recreated.
 */
function isLeftBehind(live: LiveView, name: string | undefined): boolean {
  const madeMs = (object: Any | undefined): number => fromTime(object?.metadata?.creationTimestamp) ?? NaN;
  const sinceMs = madeMs(name === undefined ? undefined : liveObject(live, namespaces, '', name));
  return liveObjects(live, serviceAccounts, name).some((account) => madeMs(account) < sinceMs);
}

/** Invariants of all controllers and of the API server. */
export const genericInvariants: readonly Invariant[] = [
  invariant({
    id: 'generic/no-blind-write',
    says: 'every change and deletion carries the uid or version of the object it was decided on',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { actor, verb, name, decidedOn = {} } = commit;
      if (!isController(commit) || !commit.before) return verdict(state, false);
      const isNamed = decidedOn.uid !== undefined || decidedOn.resourceVersion !== undefined;
      return verdict(
        state,
        true,
        isNamed ? undefined : `${actor}: ${verb} of ${name} without uid or version`,
      );
    },
  }),
  invariant({
    id: 'generic/no-blind-delete',
    says: 'every deletion carries the version it was decided on, except in terminating namespaces',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { actor, verb, name, resource, decidedOn = {} } = commit;
      if (!isController(commit) || actor === namespaceManifest.name || verb !== 'delete')
        return verdict(state, false);
      const isNamed = decidedOn.resourceVersion !== undefined;
      return verdict(
        state,
        true,
        isNamed ? undefined : `${actor} deleted ${resource} ${name} without a version`,
      );
    },
  }),
  invariant({
    id: 'generic/no-empty-write',
    says: 'every write changes something',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { before, after, name, actor } = commit;
      if (!isController(commit) || !before || !after) return verdict(state, false);
      const isIdle = isSame(before, after);
      return verdict(state, true, isIdle ? `${actor} wrote ${name} without a change` : undefined);
    },
  }),
  invariant<{ readonly window: number; readonly writes: Writes }>({
    id: 'generic/no-hot-loop',
    says: 'no controller writes one object repeatedly while nothing else changes',
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
  invariant<Disturbed & { readonly hasObjects?: true }>({
    id: 'generic/no-write-after-restart',
    says: 'restarted controllers change nothing in a quiescent world',
    controller: '*',
    kind: 'never',
    initial: () => ({ disturbed: false }),
    onCommit: (state, { after }) =>
      verdict(after === undefined || state.hasObjects ? state : { ...state, hasObjects: true }, false),
    atRest: (state) => verdict(state, state.hasObjects === true),
    onRestart: (state, commit, live) => quiescentWrite(state, commit, live, 'after a restart'),
  }),
  invariant<Disturbed & { readonly resting?: true }>({
    id: 'generic/no-write-after-resync',
    says: 'controllers change nothing in a quiescent world when all keys are enqueued again',
    controller: '*',
    kind: 'never',
    entries: ['reconcile.finished'],
    initial: () => ({ disturbed: false }),
    atRest: (state) => verdict({ ...state, resting: true }, false),
    onRepeat: (state, commit, live) => quiescentWrite(state, commit, live, 'when it was enqueued again'),
    onEntry: (state, { event }) =>
      state.resting && event !== 'started' && event.outcome !== 'failed' ? verdict(state, true) : undefined,
  }),
  invariant({
    id: 'generic/status-is-current',
    says: 'no status refers to a future generation, and a quiescent status is correct',
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
          `${wrong.metadata?.name ?? ''} has the wrong phase ${wrong.status?.phase ?? ''}`,
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
          `${miscounted.metadata?.name ?? ''} reports ${miscounted.status?.active ?? 0} running pods`,
      );
    },
  }),
  invariant({
    id: 'generic/no-foreign-write',
    says: 'a controller changes only its own fields and creates and deletes only its own objects',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const found = trespass(commit);
      return verdict(state, hasRights(commit), found && `${commit.actor} ${found} (${commit.name})`);
    },
  }),
  invariant({
    id: 'generic/no-leaked-secret',
    says: 'no data of a Secret appears in another object',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, { actor, resource, name, after }, live) {
      if (actor === 'user' || !after || resource === resourceOf(secrets)) return verdict(state, false);
      const known = liveObjects(live, secrets);
      const from = shownSecret(after, known);
      return verdict(state, known.length > 0, from && `${resource} ${name} contains data of Secret ${from}`);
    },
  }),
  invariant({
    id: 'apiserver/versions-grow',
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
    id: 'apiserver/no-reused-uid',
    says: 'a uid is never reused',
    controller: '*',
    kind: 'never',
    initial: () => [],
    onCommit(gone, { before, after, uid, name }) {
      // Reservations of addresses are stored too, but they are not API objects.
      if (uid === '') return verdict(gone, false);
      if (!after) return verdict([...new Set([...gone, uid])].sort(), false);
      if (before) return verdict(gone, false);
      return verdict(gone, true, gone.includes(uid) ? `${name} got the uid of a deleted object` : undefined);
    },
  }),
  invariant({
    id: 'apiserver/deletion-is-final',
    says: 'an object that is being deleted stays so and gains no finalizer',
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
        return verdict(state, true, `${name} is no longer being deleted`);
      // A later deletion request may choose another propagation policy.
      const isWrong = added !== undefined && !collectors.includes(added);
      return verdict(
        state,
        true,
        isWrong ? `${name} got the finalizer ${added} during its deletion` : undefined,
      );
    },
  }),
];

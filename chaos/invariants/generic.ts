import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { equalJson } from '../../api/schema/own.ts';
import { type Commit, type Invariant, invariant, verdict } from './invariant.ts';

type Any = DeepReadonly<ApiObject>;

const isController = ({ actor }: Commit): boolean => !NO_CONTROLLERS.has(actor);

/** Whose writes follow from others': events are written as they come. */
const NO_CONTROLLERS = new Set(['user', 'apiserver', 'events']);

/** The object without what the server counts by itself. */
function withoutCounters(object: Any): unknown {
  const { metadata, ...rest } = object;
  const { resourceVersion: _, managedFields: __, generation: ___, ...kept } = metadata ?? {};
  return JSON.parse(JSON.stringify({ ...rest, metadata: kept }));
}

const numberOf = (version: string | undefined): bigint | undefined =>
  version !== undefined && /^\d+$/.test(version) ? BigInt(version) : undefined;

/** Writes of one object by one controller, without anybody else changing anything, that make a hot loop. */
const HOT_LOOP_WRITES = 12;
/** Within this time: schedules go on though nothing changes. */
const HOT_LOOP_MS = 30_000;

/** What holds for every controller, and of the API server itself. */
export const genericInvariants: readonly Invariant[] = [
  invariant({
    id: 'generic/G3',
    says: 'no write changes nothing',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const { before, after, name, actor } = commit;
      if (!isController(commit) || !before || !after) return verdict(state, false);
      const isIdle = equalJson(withoutCounters(before), withoutCounters(after));
      return verdict(state, true, isIdle ? `${actor} wrote ${name} as it was` : undefined);
    },
  }),
  invariant<{ readonly window: number; readonly writes: { readonly [object: string]: number } }>({
    id: 'generic/G3-loop',
    says: 'no controller writes one object again and again while nothing else changes',
    controller: '*',
    kind: 'never',
    initial: () => ({ window: 0, writes: {} }),
    onCommit(state, commit) {
      const window = Math.floor(commit.atMs / HOT_LOOP_MS);
      if (!isController(commit)) return verdict({ window, writes: {} }, false);
      const writes = state.window === window ? state.writes : {};
      const key = `${commit.actor} ${commit.uid}`;
      const count = (writes[key] ?? 0) + 1;
      const others = Object.entries(writes).filter(([each]) => each !== key);
      const counted = [...others, [key, Math.min(count, HOT_LOOP_WRITES)] as const].sort();
      return verdict(
        { window, writes: Object.fromEntries(counted) },
        true,
        count >= HOT_LOOP_WRITES ? `${commit.actor} has written ${commit.name} ${count} times` : undefined,
      );
    },
  }),
  invariant({
    id: 'generic/G11',
    says: 'no status is about a generation that there has not been',
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

import type { Invariant, LiveView } from '../invariants/invariant.ts';
import type { Footprint, Judgement, Seen } from './footprint.ts';
import type { ModelStore } from './model-store.ts';
import { liveView } from './serving.ts';
import { textOf } from './text.ts';
import { isRecord } from '../../base/collections/index.ts';

/** Maximum number of joint evaluations before the comparison is abandoned. */
const MAX_JUDGEMENTS = 2_000_000;

/**
 * Returns the first invariant whose result for two groups together differs from its results for each group
 * alone; undefined if there is none.
 *
 * Each invariant is evaluated on every commit of one group combined with every state of the other group, and
 * on every pair of quiescent states at the same time. Its combined state must equal the union of both states.
 */
export function disagreement(
  one: Footprint,
  other: Footprint,
  invariants: readonly Invariant[],
): string | undefined {
  let left = MAX_JUDGEMENTS;
  const counted = invariants.map((invariant) =>
    withCount(invariant, () => {
      if (--left < 0) throw new TooMany();
    }),
  );
  try {
    for (const [at, invariant] of counted.entries()) {
      const found =
        atCommits(one, other, invariant, at) ??
        atCommits(other, one, invariant, at) ??
        atRest(one, other, invariant, at);
      if (found !== undefined) return found;
    }
  } catch (thrown) {
    if (!(thrown instanceof TooMany)) throw thrown;
    return 'too many states to evaluate the invariants on both groups';
  }
  return undefined;
}

class TooMany extends Error {}

const withCount = (invariant: Invariant, count: () => void): Invariant => {
  const { onCommit, atRest: judge } = invariant;
  return {
    ...invariant,
    ...(onCommit
      ? {
          onCommit(...args) {
            count();
            return onCommit.apply(invariant, args);
          },
        }
      : {}),
    ...(judge
      ? {
          atRest(...args) {
            count();
            return judge.apply(invariant, args);
          },
        }
      : {}),
  };
};

function atCommits(acting: Footprint, standing: Footprint, invariant: Invariant, at: number) {
  const states = statesOf(standing.seen, at);
  for (const judgement of acting.judgements[at] ?? [])
    for (const state of states.get(judgement.nowMs)?.values() ?? [])
      if (!agrees(invariant, judgement, state, standing)) return `${invariant.id} depends on both groups`;
  return undefined;
}

function atRest(one: Footprint, other: Footprint, invariant: Invariant, at: number): string | undefined {
  const resting = statesOf(other.resting, at);
  for (const [nowMs, ofOne] of statesOf(one.resting, at))
    for (const a of ofOne.values())
      for (const b of resting.get(nowMs)?.values() ?? [])
        if (!rests(invariant, nowMs, a, b))
          return `${invariant.id} is violated when both groups are quiescent`;
  return undefined;
}

/** A state of one invariant, and the stores with which it occurred. */
interface State {
  readonly ghost: unknown;
  readonly stores: Set<ModelStore>;
}

/** Returns the states of an invariant by time, then by the JSON of the state. */
function statesOf(seen: readonly Seen[], invariant: number): ReadonlyMap<number, ReadonlyMap<string, State>> {
  const byTime = new Map<number, Map<string, State>>();
  for (const { nowMs, ghosts, store } of seen) {
    let states = byTime.get(nowMs);
    if (!states) byTime.set(nowMs, (states = new Map()));
    const ghost = ghosts[invariant];
    const key = textOf(ghost);
    let state = states.get(key);
    if (!state) states.set(key, (state = { ghost, stores: new Set() }));
    state.stores.add(store);
  }
  return byTime;
}

/**
 * True if the result of an invariant on a commit is the same alone and combined with a state of the other
 * group.
 */
function agrees(
  { onCommit }: Invariant,
  { nowMs, ghost, commit, store, verdict }: Judgement,
  state: State,
  others: Footprint,
): boolean {
  const before = joined(ghost, state.ghost);
  const after = joined(verdict.state, state.ghost);
  if (!before || !after || !onCommit) return false;
  const isSame = (live: LiveView): boolean => {
    const found = onCommit(before.value, commit, live);
    return found.broken === undefined && canonical(found.state) === canonical(after.value);
  };
  let looked = false;
  const alone = watched(liveView(store, nowMs), others, () => (looked = true));
  if (!isSame(alone)) return looked && everyStore(state, store, nowMs, isSame);
  return !looked || everyStore(state, store, nowMs, isSame);
}

const everyStore = (
  { stores }: State,
  store: ModelStore,
  nowMs: number,
  isSame: (live: LiveView) => boolean,
): boolean => [...stores].every((each) => isSame(liveView(together(store, each), nowMs)));

function rests({ atRest: judge }: Invariant, nowMs: number, a: State, b: State): boolean {
  if (!judge) return true;
  const ghost = joined(a.ghost, b.ghost);
  if (!ghost) return false;
  for (const one of a.stores)
    for (const other of b.stores)
      if (judge(ghost.value, liveView(together(one, other), nowMs)).broken !== undefined) return false;
  return true;
}

/** Returns a view that calls `onLook` when an object of the other group is read. */
const watched = (live: LiveView, { objects }: Footprint, onLook: () => void): LiveView => ({
  nowMs: live.nowMs,
  get(resource, namespace, name) {
    if (objects.has(`${resource} ${namespace}/${name}`)) onLook();
    return live.get(resource, namespace, name);
  },
  list(resource, namespace) {
    const start = namespace === undefined ? `${resource} ` : `${resource} ${namespace}/`;
    for (const key of objects.keys()) if (key.startsWith(start)) onLook();
    return live.list(resource, namespace);
  },
});

const stores = new WeakMap<ModelStore, WeakMap<ModelStore, ModelStore>>();

/** Merges two stores that have no key in common. */
function together(one: ModelStore, other: ModelStore): ModelStore {
  let known = stores.get(one);
  if (!known) stores.set(one, (known = new WeakMap()));
  let both = known.get(other);
  if (!both) {
    const objects = Object.entries({ ...one.objects, ...other.objects }).sort(([a], [b]) => (a < b ? -1 : 1));
    both = { objects: Object.fromEntries(objects), births: { ...one.births, ...other.births } };
    known.set(other, both);
  }
  return both;
}

/**
 * Merges two states of an invariant: string lists by union, records by key. Returns undefined if the states
 * cannot be merged.
 */
function joined(one: unknown, other: unknown): { readonly value: unknown } | undefined {
  if (textOf(one) === textOf(other)) return { value: one };
  if (Array.isArray(one) && Array.isArray(other)) {
    const all: readonly unknown[] = [...(one as unknown[]), ...(other as unknown[])];
    if (!all.every((each) => typeof each === 'string')) return undefined;
    return { value: [...new Set(all)].sort() };
  }
  if (!isRecord(one) || !isRecord(other)) return undefined;
  const value: Record<string, unknown> = { ...one };
  for (const [key, each] of Object.entries(other)) {
    const both = Object.hasOwn(value, key) ? joined(value[key], each) : { value: each };
    if (!both) return undefined;
    value[key] = both.value;
  }
  return { value };
}

/** Returns JSON that does not depend on the order of fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );

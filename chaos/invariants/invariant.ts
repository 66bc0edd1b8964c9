import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { JournalEvent, JournalKind } from '../../runtime/index.ts';
import type { FaultName } from '../world/fault-kinds.ts';

/** One change of the API server's store, in the order of the commits. */
export interface Commit {
  /** Number of the step of the run that it happened in. */
  readonly step: number;
  /** The API server's time, milliseconds since the epoch. */
  readonly atMs: number;
  /** `user`, `apiserver`, or the name of the controller whose request it was. */
  readonly actor: string;
  /** Which process of the actor, where there are several. */
  readonly node?: string | undefined;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** As `resourceOf` writes it: `batch/jobs`, `/secrets`. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** '' for what is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** When the request left its sender, by the API server's time; absent where there was none. */
  readonly sentMs?: number | undefined;
  /**
   * Whoever sent the request has died since, or has given it up: it may come after everything that was done in its place.
   * Only a server that checks conditions of writes can refuse it.
   */
  readonly abandoned?: boolean | undefined;
  /** What the request named of the object that it was decided on. */
  readonly decidedOn?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** Absent for what was created. */
  readonly before?: DeepReadonly<ApiObject> | undefined;
  /** Absent for what is gone from the store. A deletion that waits for finalizers has both. */
  readonly after?: DeepReadonly<ApiObject> | undefined;
}

/** What a process notes in its journal, in the order in which it does. */
export interface ProcessEntry {
  /** One that is started anew keeps its name. */
  readonly process: string;
  /** True time, milliseconds since the epoch; the API server's where its clock is right. */
  readonly atMs: number;
  /** What the process's own wall clock shows. */
  readonly wallMs: number;
  /** `started`: with nothing in its memory; what an earlier process of that name had under way is gone. */
  readonly event: JournalEvent | 'started';
}

/** `started`, or what kind of event it is. */
export type EntryKind = JournalKind | 'started';

export const entryKindOf = ({ event }: ProcessEntry): EntryKind =>
  event === 'started' ? 'started' : event.kind;

/** The store as it is at the time of the call, the commit in question included. */
export interface LiveView {
  /** The API server's time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** `resource` as `resourceOf` writes it; namespace '' for what is cluster-scoped. */
  get(resource: string, namespace: string, name: string): DeepReadonly<ApiObject> | undefined;
  /** Of one namespace, or of all when it is not given. */
  list(resource: string, namespace?: string): readonly DeepReadonly<ApiObject>[];
}

export interface Verdict<State> {
  /** The ghost history that the next check goes on with. */
  readonly state: State;
  /** The premise came up: what the invariant says was put to the test. */
  readonly reached?: boolean;
  /** One sentence: what was done that must never be, or is missing that must come. */
  readonly broken?: string;
}

/**
 * A property of what controllers commit. Pure: all it remembers is its state, which is plain JSON, so that an explorer
 * can hold it beside the world's. A `never` is judged at each commit, an `eventually` when all has come to rest.
 *
 *     const keepsPinned = invariant({
 *       id: 'example/N1', says: 'never deletes a pinned ConfigMap', controller: '*', kind: 'never',
 *       initial: () => null,
 *       onCommit: (state, commit) => {
 *         const pinned = objectOf(commit, configMaps, 'before')?.metadata?.labels?.['pinned'] === 'true';
 *         const broken = pinned && commit.after === undefined ? `${commit.name} was deleted` : undefined;
 *         return verdict(state, pinned, broken);
 *       },
 *     });
 */
export interface Invariant<State = unknown> {
  /** Controller and number: `cronjob/N1`. */
  readonly id: string;
  /** What holds, in one sentence. */
  readonly says: string;
  /** The name of the controller it is about; `*` for all. */
  readonly controller: string;
  readonly kind: 'never' | 'eventually';
  /** Faults under which it cannot hold: where one of them may strike it is not asked. Default none. */
  readonly unless?: FaultName | readonly FaultName[] | undefined;
  /** Whether it speaks of processes that share their keys, and is asked only where they do so in one world. Default not. */
  readonly ofSharedKeys?: boolean;
  /**
   * Of commits, the resources that say anything to it, besides what its controller commits: it is shown no others. Default
   * all.
   */
  readonly resources?: readonly string[] | undefined;
  /** Of journals, the kinds of entries that say anything to it: it is shown no others. Default all. */
  readonly entries?: readonly EntryKind[] | undefined;
  initial(): State;
  onCommit?(state: State, commit: Commit, live: LiveView): Verdict<State>;
  /** At each commit after all had come to rest and the controllers were started anew, with nothing in their memory. */
  onRestart?(state: State, commit: Commit, live: LiveView): Verdict<State>;
  /** At each commit after all had come to rest and every key was brought up again. */
  onRepeat?(state: State, commit: Commit, live: LiveView): Verdict<State>;
  /**
   * At each entry of a journal. Journals are long, and no explorer has one: a state that only they change may be changed
   * in place.
   */
  onEntry?(state: State, entry: ProcessEntry): Verdict<State> | undefined;
  /** Called only when nothing is under way and no fault lasts. */
  atRest?(state: State, live: LiveView): Verdict<State>;
}

/** Whether it cannot hold for one of these faults. */
export const isExcused = ({ unless = [] }: Pick<Invariant, 'unless'>, faults: readonly string[]): boolean =>
  [unless].flat().some((fault) => faults.includes(fault));

/** Checks the types of an invariant and forgets that of its state, so that many stand in one list. */
export const invariant = <State>(definition: Invariant<State>): Invariant => definition;

/** A verdict without the fields that have nothing to say. */
export const verdict = <State>(
  state: State,
  reached: boolean,
  broken?: string | undefined,
): Verdict<State> => {
  // Asked for by every invariant at every commit: what says nothing costs nothing.
  if (broken === undefined) return reached ? { state, reached } : { state };
  return reached ? { state, reached, broken } : { state, broken };
};

/** What the metadata of a body name: the object, and the state of it, that a write is about. */
export function namedIn(body: unknown): NonNullable<Commit['decidedOn']> {
  const { metadata } = (body ?? {}) as Partial<Pick<ApiObject, 'metadata'>>;
  const { uid, resourceVersion } = metadata ?? {};
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** Each kind's is written once: texts that are the same one are compared at once. */
const resources = new WeakMap<object, string>();

/** Group and plural, the group as kinds declare it: `batch/jobs`, `/secrets`. The same under every vocabulary. */
export function resourceOf(kind: Pick<Kind<never>, 'group' | 'plural'>): string {
  const known = resources.get(kind) ?? `${kind.group}/${kind.plural}`;
  resources.set(kind, known);
  return known;
}

export const isOf = (commit: Commit, kind: Kind<never>): boolean => commit.resource === resourceOf(kind);

/** The object of a commit before or after it, when it is of `kind`. */
export const objectOf = <T extends ApiObject>(
  commit: Commit,
  kind: Kind<T>,
  which: 'before' | 'after',
): DeepReadonly<T> | undefined =>
  // What the store holds under a resource is of that resource's kind.
  commit.resource === resourceOf(kind) ? (commit[which] as DeepReadonly<T> | undefined) : undefined;

export const liveObject = <T extends ApiObject>(
  live: LiveView,
  kind: Kind<T>,
  namespace: string,
  name: string,
): DeepReadonly<T> | undefined => live.get(resourceOf(kind), namespace, name) as DeepReadonly<T> | undefined;

export const liveObjects = <T extends ApiObject>(
  live: LiveView,
  kind: Kind<T>,
  namespace?: string,
): readonly DeepReadonly<T>[] => live.list(resourceOf(kind), namespace) as readonly DeepReadonly<T>[];

/** A record with a member set, its names in order: the same members are the same state, whichever came first. */
export function withMember<T>(
  record: Readonly<Record<string, T>>,
  name: string,
  value: T,
): Readonly<Record<string, T>> {
  if (Object.hasOwn(record, name)) return record[name] === value ? record : { ...record, [name]: value };
  return Object.fromEntries(Object.entries({ ...record, [name]: value }).sort(byName));
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

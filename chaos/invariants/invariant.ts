import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import type { JournalEvent, JournalKind } from '../../runtime/index.ts';
import type { HappeningType, Observation } from '../oracles/runtime/observation.ts';
import type { FaultName } from '../world/fault-kinds.ts';

/** One change of the API server's store, in commit order. */
export interface Commit {
  /** Number of the run's step in which it happened. */
  readonly step: number;
  /** The API server's time, milliseconds since the epoch. */
  readonly atMs: number;
  /** Sender of the request: `user`, `apiserver`, or the name of a controller. */
  readonly actor: string;
  /** Process of the actor, if there are several. */
  readonly node?: string | undefined;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** Resource in the format of `resourceOf`: `batch/jobs`, `/secrets`. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Namespace; '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Time at which the request was sent, by the API server's clock; undefined without a request. */
  readonly sentMs?: number | undefined;
  /**
   * True if the sender has crashed or cancelled the request since. Such a request may arrive after everything
   * that replaced it; only a server with conditional writes can refuse it.
   */
  readonly abandoned?: boolean | undefined;
  /** Uid and version that the request carried. */
  readonly decidedOn?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** Object before the change; undefined for a creation. */
  readonly before?: DeepReadonly<ApiObject> | undefined;
  /** Object after the change; undefined if it was removed. A deletion that waits for finalizers has both. */
  readonly after?: DeepReadonly<ApiObject> | undefined;
}

/** One journal entry of a process, in order. */
export interface ProcessEntry {
  /** Name of the process; kept across restarts. */
  readonly process: string;
  /** True time in milliseconds since the epoch; equals the API server's time if that clock is right. */
  readonly atMs: number;
  /** Time of the process's own wall clock. */
  readonly wallMs: number;
  /**
   * Journal event; `started` marks a start with empty memory, which ends everything that the previous process
   * had in progress.
   */
  readonly event: JournalEvent | 'started';
}

/** Kind of a journal event, or `started`. */
export type EntryKind = JournalKind | 'started';

export const entryKindOf = ({ event }: ProcessEntry): EntryKind =>
  event === 'started' ? 'started' : event.kind;

/** The store at the time of the call, including the commit being judged. */
export interface LiveView {
  /** The API server's time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Returns an object; `resource` in the format of `resourceOf`, namespace '' for a cluster-scoped one. */
  get(resource: string, namespace: string, name: string): DeepReadonly<ApiObject> | undefined;
  /** Returns the objects of one namespace; of all without `namespace`. */
  list(resource: string, namespace?: string): readonly DeepReadonly<ApiObject>[];
}

/** Result of evaluating an invariant. */
export interface InvariantResult<State> {
  /** State for the next evaluation. */
  readonly state: State;
  /** True if an object matched the premise, so that the property was tested. An empty history never reaches it. */
  readonly reached?: boolean;
  /** Violation in one sentence: the forbidden change, or the missing one. */
  readonly broken?: string;
}

/**
 * A property of the commits of controllers.
 *
 * Pure: its only memory is its state, which is plain JSON, so that an explorer can include it in worlds. A `never` is
 * evaluated on each commit, an `eventually` in quiescent worlds.
 *
 *     const keepsPinned = invariant({
 *       id: 'example/no-deletion', says: 'never deletes a pinned ConfigMap', controller: '*', kind: 'never',
 *       initial: () => null,
 *       onCommit: (state, commit) => {
 *         const pinned = objectOf(commit, configMaps, 'before')?.metadata?.labels?.['pinned'] === 'true';
 *         const broken = pinned && commit.after === undefined ? `${commit.name} was deleted` : undefined;
 *         return verdict(state, pinned, broken);
 *       },
 *     });
 */
export interface Invariant<State = unknown> {
  /** Controller and property, such as `cronjob/no-duplicate-run`. */
  readonly id: string;
  /** The property in one sentence. */
  readonly says: string;
  /** Name of the controller; `*` for all. */
  readonly controller: string;
  readonly kind: 'never' | 'eventually';
  /** Faults that excuse it: it is not evaluated if one of them may occur. Default none. */
  readonly unless?: FaultName | readonly FaultName[] | undefined;
  /** True if it concerns processes that share keys in one world; it is skipped elsewhere. Default false. */
  readonly ofSharedKeys?: boolean;
  /** True if it concerns the queues in process; it is skipped where processes share keys. Default false. */
  readonly ofOwnKeys?: boolean;
  /** Resources whose commits it needs; commits of its controller are always included. Default all. */
  readonly resources?: readonly string[] | undefined;
  /** Journal entry kinds that it needs. Default all. */
  readonly entries?: readonly EntryKind[] | undefined;
  /** Types of observations that it needs. Default all. */
  readonly observations?: readonly HappeningType[] | undefined;
  initial(): State;
  onCommit?(state: State, commit: Commit, live: LiveView): InvariantResult<State>;
  /** Judges a commit after the controllers were restarted in a quiescent world. */
  onRestart?(state: State, commit: Commit, live: LiveView): InvariantResult<State>;
  /** Judges a commit after all keys were enqueued again in a quiescent world. */
  onRepeat?(state: State, commit: Commit, live: LiveView): InvariantResult<State>;
  /**
   * Judges a journal entry. Journals are long and explorers have none, so a state that only entries change
   * may be modified in place.
   */
  onEntry?(state: State, entry: ProcessEntry): InvariantResult<State> | undefined;
  /**
   * Judges an observation inside a process. Only seeds have them, and they are many, so a state that only
   * observations change may be modified in place.
   */
  onObservation?(state: State, observation: Observation): InvariantResult<State> | undefined;
  /** Judges a quiescent world, in which nothing is in flight and no fault lasts. */
  atRest?(state: State, live: LiveView): InvariantResult<State>;
}

/** True if one of these faults excuses the invariant. */
export const isExcused = ({ unless = [] }: Pick<Invariant, 'unless'>, faults: readonly string[]): boolean =>
  [unless].flat().some((fault) => faults.includes(fault));

/** Checks an invariant's types and hides its state type, so that different ones fit into one list. */
export const invariant = <State>(definition: Invariant<State>): Invariant => definition;

/** Creates a result; undefined fields are left out. */
export const verdict = <State>(
  state: State,
  reached: boolean,
  broken?: string | undefined,
): InvariantResult<State> => {
  // Called by every invariant on every commit, so the common cases must be cheap.
  if (broken === undefined) return reached ? { state, reached } : { state };
  return reached ? { state, reached, broken } : { state, broken };
};

/** Returns the uid and version in the metadata of a body. */
export function namedIn(body: unknown): NonNullable<Commit['decidedOn']> {
  const { metadata } = (body ?? {}) as Partial<Pick<ApiObject, 'metadata'>>;
  const { uid, resourceVersion } = metadata ?? {};
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** Cached, so that equal resources are the same string and compare quickly. */
const resources = new WeakMap<object, string>();

/**
 * Returns group and plural, with the group as declared: `batch/jobs`, `/secrets`. Independent of the
 * vocabulary.
 */
export function resourceOf(kind: Pick<Kind<never>, 'group' | 'plural'>): string {
  const known = resources.get(kind) ?? `${kind.group}/${kind.plural}`;
  resources.set(kind, known);
  return known;
}

/** True if the commit changes an object of the kind. */
export const isOf = (commit: Commit, kind: Kind<never>): boolean => commit.resource === resourceOf(kind);

/** Returns a commit's object before or after it, if it is of `kind`. */
export const objectOf = <T extends ApiObject>(
  commit: Commit,
  kind: Kind<T>,
  which: 'before' | 'after',
): DeepReadonly<T> | undefined =>
  // The store holds only objects of the resource's kind under its name.
  commit.resource === resourceOf(kind) ? (commit[which] as DeepReadonly<T> | undefined) : undefined;

/** Returns an object from a live view; undefined if it does not exist. */
export const liveObject = <T extends ApiObject>(
  live: LiveView,
  kind: Kind<T>,
  namespace: string,
  name: string,
): DeepReadonly<T> | undefined => live.get(resourceOf(kind), namespace, name) as DeepReadonly<T> | undefined;

/** Returns the objects of a kind in a live view, of one namespace or of all. */
export const liveObjects = <T extends ApiObject>(
  live: LiveView,
  kind: Kind<T>,
  namespace?: string,
): readonly DeepReadonly<T>[] => live.list(resourceOf(kind), namespace) as readonly DeepReadonly<T>[];

/** Returns a record with a member set and sorted names, so that equal records are equal states. */
export function withMember<T>(
  record: Readonly<Record<string, T>>,
  name: string,
  value: T,
): Readonly<Record<string, T>> {
  if (Object.hasOwn(record, name)) return record[name] === value ? record : { ...record, [name]: value };
  return Object.fromEntries(Object.entries({ ...record, [name]: value }).sort(byName));
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/**
 * Returns a controller's invariants, limited to commits of these kinds and of the kinds that each names
 * itself.
 */
export const about = (
  kinds: readonly Kind<never>[],
  invariants: readonly Invariant[],
): readonly Invariant[] =>
  invariants.map((each) => ({ ...each, resources: [...kinds.map(resourceOf), ...(each.resources ?? [])] }));

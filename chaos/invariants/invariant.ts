import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/index.ts';
import type { JournalEvent, JournalKind } from '../../runtime/index.ts';
import type { HappeningType, Observation } from '../oracles/runtime/observation.ts';
import type { FaultName } from '../world/fault-kinds.ts';

/** One change of the API server's store, in commit order. */
export interface Commit {
  /** Number of the run's step that caused the commit. */
  readonly step: number;
  /** Time of the API server in milliseconds since the epoch. */
  readonly atMs: number;
  /** Sender of the request: `user`, `apiserver`, or the name of a controller. */
  readonly actor: string;
  /** Process of the actor; undefined if the run has only one process. */
  readonly node?: string | undefined;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  /** Resource in the format of `resourceOf`: `batch/jobs`, `/secrets`. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Namespace; '' for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /**
   * Time at which the request was sent, by the API server's clock. Undefined if no request caused the commit.
   */
  readonly sentMs?: number | undefined;
  /**
   * True if the sender crashed or cancelled the request after sending it. Such a request may arrive later
   * than the requests that replaced it. Only a server with conditional writes can reject it.
   */
  readonly abandoned?: boolean | undefined;
  /** Uid and version that the request named. */
  readonly decidedOn?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** Object before the change; undefined for a creation. */
  readonly before?: DeepReadonly<ApiObject> | undefined;
  /**
   * Object after the change; undefined if it was removed. If a deletion waits for finalizers, both `before`
   * and `after` are set.
   */
  readonly after?: DeepReadonly<ApiObject> | undefined;
}

/** One journal entry of a process. */
export interface ProcessEntry {
  /** Name of the process; the same after a restart. */
  readonly process: string;
  /** True time in milliseconds since the epoch. It equals the API server's time if that clock is right. */
  readonly atMs: number;
  /** Time of the process's wall clock in milliseconds since the epoch. */
  readonly wallMs: number;
  /**
   * Journal event. `started` marks a start with empty memory, which ends all work in progress of the previous
   * process.
   */
  readonly event: JournalEvent | 'started';
}

/** Kind of a journal event, or `started`. */
export type EntryKind = JournalKind | 'started';

export const entryKindOf = ({ event }: ProcessEntry): EntryKind =>
  event === 'started' ? 'started' : event.kind;

/** View of the store at the time of the call, including the commit that is evaluated. */
export interface LiveView {
  /** Time of the API server in milliseconds since the epoch. */
  readonly nowMs: number;
  /**
   * Returns an object. `resource` has the format of `resourceOf`; the namespace of a cluster-scoped object is
   * ''.
   */
  get(resource: string, namespace: string, name: string): DeepReadonly<ApiObject> | undefined;
  /** Returns the objects of one namespace, or of all namespaces if `namespace` is undefined. */
  list(resource: string, namespace?: string): readonly DeepReadonly<ApiObject>[];
}

/** Result of evaluating an invariant. */
export interface InvariantResult<State> {
  /** State for the next evaluation. */
  readonly state: State;
  /** True if an object matched the premise, so that the property was tested. An empty history never reaches it. */
  readonly reached?: boolean;
  /** Sentence about the violation: the forbidden change, or the missing one. */
  readonly broken?: string;
}

/**
 * A property of the commits of controllers.
 *
 * An invariant is pure: its only memory is its state, which is plain JSON, so that an explorer can include it
 * in its states. Invariants of kind `never` are evaluated on each commit, those of kind `eventually` in
 * quiescent worlds.
 */
export interface Invariant<State = unknown> {
  /** Controller and property, such as `cronjob/no-duplicate-run`. */
  readonly id: string;
  /** Description of the property in one sentence. */
  readonly says: string;
  /** Name of the controller; `*` if the invariant applies to all. */
  readonly controller: string;
  readonly kind: 'never' | 'eventually';
  /**
   * Faults under which the property need not hold. The invariant is not evaluated if one of them may occur.
   * Default none.
   */
  readonly unless?: FaultName | readonly FaultName[] | undefined;
  /**
   * True if the property is about processes that share keys. Such an invariant is skipped in other worlds.
   * Default false.
   */
  readonly ofSharedKeys?: boolean;
  /**
   * True if the property is about in-process queues. Such an invariant is skipped where processes share keys.
   * Default false.
   */
  readonly ofOwnKeys?: boolean;
  /**
   * Resources whose commits the invariant needs. Commits of its controller are always included. Default all.
   */
  readonly resources?: readonly string[] | undefined;
  /** Kinds of journal entries that the invariant needs. Default all. */
  readonly entries?: readonly EntryKind[] | undefined;
  /** Types of observations that the invariant needs. Default all. */
  readonly observations?: readonly HappeningType[] | undefined;
  initial(): State;
  onCommit?(state: State, commit: Commit, live: LiveView): InvariantResult<State>;
  /** Evaluates a commit after the controllers were restarted in a quiescent world. */
  onRestart?(state: State, commit: Commit, live: LiveView): InvariantResult<State>;
  /** Evaluates a commit after all keys were enqueued again in a quiescent world. */
  onRepeat?(state: State, commit: Commit, live: LiveView): InvariantResult<State>;
  /**
   * Evaluates a journal entry. Journals are long, and explorers have none, so a state that only entries
   * change may be modified in place.
   */
  onEntry?(state: State, entry: ProcessEntry): InvariantResult<State> | undefined;
  /**
   * Evaluates an observation inside a process. Only simulated runs have observations, and have many, so a
   * state that only observations change may be modified in place.
   */
  onObservation?(state: State, observation: Observation): InvariantResult<State> | undefined;
  /** Evaluates a quiescent world, in which no request is in flight and no fault lasts. */
  atRest?(state: State, live: LiveView): InvariantResult<State>;
}

/** True if the invariant need not hold under one of the faults. */
export const isExcused = ({ unless = [] }: Pick<Invariant, 'unless'>, faults: readonly string[]): boolean =>
  [unless].flat().some((fault) => faults.includes(fault));

/**
 * Checks the types of an invariant and hides the type of its state, so that a list can hold invariants of
 * different state types.
 */
export const invariant = <State>(definition: Invariant<State>): Invariant => definition;

/** Creates a result without the fields that are undefined. */
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

/** Resource names by kind. Cached, so that equal names are the same string, which compares quickly. */
const resources = new WeakMap<object, string>();

/**
 * Returns the group as declared and the plural: `batch/jobs`, `/secrets`. The result is independent of the
 * vocabulary.
 */
export function resourceOf(kind: Pick<Kind<never>, 'group' | 'plural'>): string {
  const known = resources.get(kind) ?? `${kind.group}/${kind.plural}`;
  resources.set(kind, known);
  return known;
}

/** True if the commit changes an object of the kind. */
export const isOf = (commit: Commit, kind: Kind<never>): boolean => commit.resource === resourceOf(kind);

/** Returns the object of a commit before or after the change; undefined if the object is not of `kind`. */
export const objectOf = <T extends ApiObject>(
  commit: Commit,
  kind: Kind<T>,
  which: 'before' | 'after',
): DeepReadonly<T> | undefined =>
  // A resource in the store contains only objects of its kind.
  commit.resource === resourceOf(kind) ? (commit[which] as DeepReadonly<T> | undefined) : undefined;

/** Returns an object from a live view; undefined if it does not exist. */
export const liveObject = <T extends ApiObject>(
  live: LiveView,
  kind: Kind<T>,
  namespace: string,
  name: string,
): DeepReadonly<T> | undefined => live.get(resourceOf(kind), namespace, name) as DeepReadonly<T> | undefined;

/** Returns the objects of a kind in a live view, of one namespace or of all namespaces. */
export const liveObjects = <T extends ApiObject>(
  live: LiveView,
  kind: Kind<T>,
  namespace?: string,
): readonly DeepReadonly<T>[] => live.list(resourceOf(kind), namespace) as readonly DeepReadonly<T>[];

/** Returns the record with one member set and the names sorted, so that equal records have equal JSON. */
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
 * Limits the invariants of a controller to commits of `kinds` and of the resources that each invariant names.
 */
export const about = (
  kinds: readonly Kind<never>[],
  invariants: readonly Invariant[],
): readonly Invariant[] =>
  invariants.map((each) => ({ ...each, resources: [...kinds.map(resourceOf), ...(each.resources ?? [])] }));

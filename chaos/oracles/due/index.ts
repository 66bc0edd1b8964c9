import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import {
  type Commit,
  type EntryKind,
  type Invariant,
  type InvariantResult,
  type ProcessEntry,
  invariant,
  resourceOf,
  verdict,
} from '../../invariants/invariant.ts';
import {
  type Knowledge,
  NOTED_ENTRIES,
  NOTED_OBSERVATIONS,
  createKnowledge,
  knownSince,
  noteCommit,
  noteEntry,
  noteObservation,
} from '../knowledge/knowledge.ts';
import { type DueTime, TOLERANCE_MS, isEnding } from './due-time.ts';

type Any = DeepReadonly<ApiObject>;

/** A running reconcile of an object that was due when the reconcile started. */
interface Turn {
  readonly uid: string;
  readonly startedMs: number;
  readonly moment: number;
  /**
   * True if a request of the reconcile was rejected or not answered. The reconcile may then end without
   * acting.
   */
  disturbed: boolean;
}

interface State {
  readonly knowledge: Knowledge;
  /** Existing objects by `namespace/name` or `name`. */
  readonly objects: Record<string, Any>;
  /** Uids of the objects whose due times were restarted by a change. */
  readonly restarted: Record<string, true>;
  /** Time in milliseconds at which each process observed the last restart, by process and uid. */
  readonly sinceMs: Record<string, Record<string, number>>;
  /** Turns by process and reconcile. */
  readonly turns: Record<string, Turn>;
  /**
   * Moment of the last change of an object that affects its due times or comes from another writer, by uid.
   * Such a change may make the server reject the controller's write.
   */
  readonly changed: Record<string, number>;
}

const ENTRIES: readonly EntryKind[] = [...NOTED_ENTRIES, 'request', 'enqueued'];

const keyIn = ({ namespace, name }: Commit): string => (namespace === '' ? name : `${namespace}/${name}`);

const factsOf =
  ({ termsOf, restartOf }: DueTime) =>
  (object: Any): string =>
    JSON.stringify([restartOf?.(object), termsOf(object)]);

function noteChange(controller: string, dueTime: DueTime, state: State, commit: Commit): void {
  const { before, after, uid, actor } = commit;
  const facts = factsOf(dueTime);
  noteCommit(state.knowledge, commit, facts);
  if (after === undefined) {
    delete state.objects[keyIn(commit)];
    delete state.restarted[uid];
    return;
  }
  state.objects[keyIn(commit)] = after;
  if (before === undefined || actor !== controller || facts(before) !== facts(after))
    state.changed[uid] = state.knowledge.moment;
  const { restartOf } = dueTime;
  if (restartOf && before && JSON.stringify(restartOf(before)) !== JSON.stringify(restartOf(after))) {
    state.restarted[uid] = true;
    for (const known of Object.values(state.sinceMs)) delete known[uid];
  }
}

/**
 * Returns the time before which due times do not count for a process. Undefined if the process has not
 * observed the restart.
 */
const sinceOf = ({ restarted, sinceMs }: State, process: string, uid: string): number | undefined =>
  restarted[uid] === undefined ? 0 : sinceMs[process]?.[uid];

const turnOf = (process: string, reconcileId = ''): string => `${process} ${reconcileId}`;

function startTurn(dueTime: DueTime, state: State, { process, atMs, event }: ProcessEntry): void {
  if (event === 'started') return;
  const object = state.objects[event.key];
  const { uid = '' } = object?.metadata ?? {};
  const sinceMs = sinceOf(state, process, uid);
  if (object === undefined || sinceMs === undefined) return;
  if (dueTime.dueMs(object, atMs - TOLERANCE_MS, sinceMs) === undefined) return;
  const terms = factsOf(dueTime)(object);
  const moment = state.knowledge.moment;
  if ((knownSince(state.knowledge, process, uid, terms) ?? Infinity) >= moment) return;
  state.turns[turnOf(process, event.reconcileId)] = { uid, startedMs: atMs, moment, disturbed: false };
}

/** Evaluates the end of a reconcile: it must have acted if it could. */
function endTurn(
  dueTime: DueTime,
  state: State,
  { process, event }: ProcessEntry,
): InvariantResult<State> | undefined {
  if (event === 'started') return undefined;
  const name = turnOf(process, event.reconcileId);
  const turn = state.turns[name];
  delete state.turns[name];
  if (turn === undefined || turn.disturbed || event.outcome === 'failed') return undefined;
  if ((state.changed[turn.uid] ?? 0) > turn.moment) return undefined;
  const object = state.objects[event.key];
  if (object?.metadata?.uid !== turn.uid) return verdict(state, true);
  const sinceMs = sinceOf(state, process, turn.uid) ?? Infinity;
  const dueMs = dueTime.dueMs(object, turn.startedMs - TOLERANCE_MS, sinceMs);
  return verdict(
    state,
    true,
    dueMs === undefined
      ? undefined
      : `${process}: ${event.key} was due at ${toTime(dueMs)}, and a reconcile that started later has not acted`,
  );
}

function onEntry(
  controller: string,
  dueTime: DueTime,
  state: State,
  entry: ProcessEntry,
): InvariantResult<State> | undefined {
  const { event, process, atMs } = entry;
  if (event === 'started') {
    for (const turn of Object.keys(state.turns)) if (turn.startsWith(`${process} `)) delete state.turns[turn];
    delete state.sinceMs[process];
    noteEntry(state.knowledge, entry);
    return undefined;
  }
  if (event.controller !== controller) return undefined;
  noteEntry(state.knowledge, entry);
  if (event.kind === 'enqueued') {
    noteRestart(dueTime, state, process, event.key, atMs);
    return undefined;
  }
  if (event.kind === 'request') {
    const turn = state.turns[turnOf(process, event.reconcileId)];
    if (turn && !/^(?:[123]|404)/.test(event.request?.code ?? '')) turn.disturbed = true;
    return undefined;
  }
  if (event.kind === 'reconcile.started') return void startTurn(dueTime, state, entry);
  return event.kind === 'reconcile.finished' ? endTurn(dueTime, state, entry) : undefined;
}

/** Records when a process observed the change that restarts the due times of an object. */
function noteRestart(dueTime: DueTime, state: State, process: string, key: string, atMs: number): void {
  const object = state.objects[key];
  const { uid = '' } = object?.metadata ?? {};
  if (object === undefined || state.restarted[uid] === undefined) return;
  const known = (state.sinceMs[process] ??= {});
  if (
    known[uid] === undefined &&
    knownSince(state.knowledge, process, uid, factsOf(dueTime)(object)) !== undefined
  )
    known[uid] = atMs;
}

/** Returns the violation by a deletion before the object states that it ends. */
function earlyDeletion({ endMs }: DueTime, { before, after, atMs }: Commit): string | undefined {
  if (endMs === undefined || before === undefined || isEnding(before)) return undefined;
  if (after !== undefined && !isEnding(after)) return undefined;
  const dueMs = endMs(before);
  if (dueMs !== undefined && dueMs <= atMs + TOLERANCE_MS) return undefined;
  const due = dueMs === undefined ? 'without being due' : `which is due at ${toTime(dueMs)}`;
  return `${before.metadata?.name ?? ''}, ${due}, was deleted at ${toTime(atMs)}`;
}

/** Creates the invariant that a controller acts on an object when it is due. */
export const dueInvariant = (controller: string, dueTime: DueTime): Invariant => {
  const { id, says, kind, needsSeveral, restMs } = dueTime;
  const resource = resourceOf(kind);
  return invariant<State>({
    id,
    says,
    controller,
    kind: 'eventually',
    unless: 'api-clock-forward',
    resources: [resource],
    entries: ENTRIES,
    observations: NOTED_OBSERVATIONS,
    initial: () => ({
      knowledge: createKnowledge(),
      objects: {},
      restarted: {},
      sinceMs: {},
      turns: {},
      changed: {},
    }),
    onCommit(state, commit) {
      if (commit.resource !== resource) return verdict(state, false);
      noteChange(controller, dueTime, state, commit);
      const wasDue =
        commit.before !== undefined &&
        restMs !== undefined &&
        dueTime.dueMs(commit.before, commit.atMs, 0) !== undefined;
      const early = commit.actor === controller ? earlyDeletion(dueTime, commit) : undefined;
      return verdict(state, wasDue || early !== undefined, early);
    },
    onEntry: (state, entry) =>
      needsSeveral === true ? undefined : onEntry(controller, dueTime, state, entry),
    onObservation(state, observation) {
      noteObservation(state.knowledge, observation);
      return undefined;
    },
    atRest(state, live) {
      if (restMs === undefined) return verdict(state, false);
      const late = live
        .list(resource)
        .find((each) => dueTime.dueMs(each, live.nowMs - restMs, 0) !== undefined);
      return verdict(state, late !== undefined, late && `${late.metadata?.name ?? ''} is overdue`);
    },
  });
};

import { controllerOf } from '../../../runtime/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  resourceOf,
  verdict,
} from '../../invariants/invariant.ts';
import {
  type Knowledge,
  NOTED_ENTRIES,
  NOTED_OBSERVATIONS,
  createKnowledge,
  decidedSince,
  knownSince,
  noteCommit,
  noteEntry,
  noteObservation,
} from '../knowledge/knowledge.ts';
import { type BackOff, delayAfter } from './back-off.ts';

export { failedActs } from './failed-acts.ts';

/** Tolerance in milliseconds: times in objects have whole seconds, and clocks differ. */
const TOLERANCE_MS = 4_000;

interface State {
  readonly knowledge: Knowledge;
  /** Time of the last success by uid of the owner, in milliseconds. */
  readonly succeededMs: Record<string, number>;
}

function noteOutcome({ outcomeOf, endedMs }: BackOff, { succeededMs }: State, { after }: Commit): void {
  const owner = after && controllerOf(after)?.uid;
  if (after === undefined || owner === undefined || outcomeOf(after) !== 'succeeded') return;
  succeededMs[owner] = Math.max(succeededMs[owner] ?? 0, endedMs(after));
}

/** Returns the end times in milliseconds of the failures since the last success that the process knows. */
function failuresBefore(backOff: BackOff, state: State, commit: Commit, live: LiveView): readonly number[] {
  const { node = '', actor, after, namespace } = commit;
  const owner = after && controllerOf(after)?.uid;
  const since = decidedSince(state.knowledge, node, actor);
  if (owner === undefined || since === undefined) return [];
  const resetMs = state.succeededMs[owner] ?? -Infinity;
  return live.list(resourceOf(backOff.dependents), namespace).flatMap((each) => {
    const { uid = '' } = each.metadata ?? {};
    const endedMs = backOff.endedMs(each);
    if (backOff.outcomeOf(each) !== 'failed' || controllerOf(each)?.uid !== owner || endedMs <= resetMs)
      return [];
    return (knownSince(state.knowledge, node, uid, 'failed') ?? Infinity) < since ? [endedMs] : [];
  });
}

/** Creates the invariant that a controller replaces failed dependents with a growing delay. */
export const paceInvariant = (controller: string, backOff: BackOff): Invariant =>
  invariant<State>({
    id: backOff.id,
    says: backOff.says,
    controller,
    kind: 'never',
    unless: 'api-clock-forward',
    resources: [resourceOf(backOff.dependents)],
    entries: NOTED_ENTRIES,
    observations: NOTED_OBSERVATIONS,
    initial: () => ({ knowledge: createKnowledge(), succeededMs: {} }),
    onCommit(state, commit, live) {
      if (commit.resource !== resourceOf(backOff.dependents)) return verdict(state, false);
      noteCommit(state.knowledge, commit, backOff.outcomeOf);
      noteOutcome(backOff, state, commit);
      // The process that sent an abandoned request decided before its restart.
      const isCreation =
        commit.before === undefined && commit.actor === controller && commit.abandoned !== true;
      const failures = isCreation ? failuresBefore(backOff, state, commit, live) : [];
      const delayMs = delayAfter(backOff, failures.length);
      if (delayMs === 0) return verdict(state, false);
      const waitedMs = commit.atMs - Math.max(...failures);
      return verdict(
        state,
        true,
        waitedMs + TOLERANCE_MS < delayMs
          ? `created ${commit.name} ${waitedMs} ms after failure ${failures.length} in a row, not after ${delayMs} ms`
          : undefined,
      );
    },
    onEntry(state, entry) {
      if (entry.event === 'started' || entry.event.controller === controller)
        noteEntry(state.knowledge, entry);
      return undefined;
    },
    onObservation(state, observation) {
      noteObservation(state.knowledge, observation);
      return undefined;
    },
  });

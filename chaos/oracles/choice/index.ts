import { controllerOf } from '../../../runtime/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
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
  decidedSince,
  knownSince,
  noteCommit,
  noteEntry,
  noteObservation,
  runningOf,
} from '../knowledge/knowledge.ts';
import type { Preference } from './preference.ts';

/**
 * A deletion of an object while siblings existed that must be deleted first. It is evaluated when the
 * reconcile has ended.
 */
interface Choice {
  readonly process: string;
  readonly deleted: string;
  /**
   * Names by uid of the siblings that must be deleted first. Siblings that changed after the deletion are
   * removed.
   */
  readonly spared: Record<string, string>;
  /** Reconciles that were running at the deletion; one of them made the choice. */
  readonly running: readonly string[];
}

interface State {
  readonly knowledge: Knowledge;
  choices: readonly Choice[];
}

const isEnding = ({ before, after }: Commit): boolean =>
  before !== undefined &&
  before.metadata?.deletionTimestamp === undefined &&
  (after === undefined || after.metadata?.deletionTimestamp !== undefined);

const factsOf =
  ({ classOf, rankOf }: Preference) =>
  (object: NonNullable<Commit['before']>): string | undefined => {
    const own = classOf(object);
    return own === undefined ? undefined : `${own} ${rankOf(object)}`;
  };

/**
 * Returns the siblings in the class of the deleted object that the process has known since before its
 * decision.
 */
function comparableTo(preference: Preference, knowledge: Knowledge, commit: Commit, live: LiveView) {
  const { before, namespace, node = '', actor } = commit;
  const owner = before && controllerOf(before);
  const since = decidedSince(knowledge, node, actor);
  const own = before && preference.classOf(before);
  if (own === undefined || owner === undefined || since === undefined) return [];
  const { metadata } = live.get(resourceOf(preference.owners), namespace, owner.name) ?? {};
  if (metadata?.uid !== owner.uid || metadata.deletionTimestamp !== undefined) return [];
  return live.list(resourceOf(preference.dependents), namespace).filter((sibling) => {
    const facts = factsOf(preference)(sibling);
    if (facts === undefined || preference.classOf(sibling) !== own) return false;
    if (controllerOf(sibling)?.uid !== owner.uid || sibling.metadata?.deletionTimestamp !== undefined)
      return false;
    return (knownSince(knowledge, node, sibling.metadata?.uid ?? '', facts) ?? Infinity) < since;
  });
}

function onDeletion(
  controller: string,
  preference: Preference,
  state: State,
  commit: Commit,
  live: LiveView,
): boolean {
  const { before, node = '', actor, name } = commit;
  if (before === undefined || actor !== controller || !isEnding(commit)) return false;
  const siblings = comparableTo(preference, state.knowledge, commit, live);
  const first = siblings.filter((each) => preference.rankOf(each) < preference.rankOf(before));
  if (first.length > 0)
    state.choices = [
      ...state.choices,
      {
        process: node,
        deleted: name,
        spared: Object.fromEntries(first.map(({ metadata }) => [metadata?.uid ?? '', metadata?.name ?? ''])),
        running: runningOf(state.knowledge, node, actor),
      },
    ];
  return siblings.length > 0;
}

/** Returns the description of a wrong choice whose reconciles have ended; undefined if there is none. */
function judgeChoices(state: State, { process, event }: ProcessEntry): string | undefined {
  if (state.choices.length === 0) return undefined;
  if (event === 'started' || event.kind === 'stopped' || event.outcome === 'failed') {
    state.choices = state.choices.filter((each) => each.process !== process);
    return undefined;
  }
  const isOver = (each: Choice): boolean =>
    each.process === process &&
    !runningOf(state.knowledge, process, event.controller).some((run) => each.running.includes(run));
  const over = state.choices.filter(isOver);
  state.choices = state.choices.filter((each) => !isOver(each));
  const wrong = over.find(({ spared }) => Object.keys(spared).length > 0);
  return (
    wrong &&
    `${event.controller} deleted ${wrong.deleted} and kept ${Object.values(wrong.spared).join(', ')}, which must be deleted first`
  );
}

/** Creates the invariant that a controller deletes dependents in their order. */
export const choiceInvariant = (controller: string, preference: Preference): Invariant =>
  invariant<State>({
    id: preference.id,
    says: preference.says,
    controller,
    kind: 'never',
    resources: [resourceOf(preference.dependents)],
    entries: NOTED_ENTRIES,
    observations: NOTED_OBSERVATIONS,
    initial: () => ({ knowledge: createKnowledge(), choices: [] }),
    onCommit(state, commit, live) {
      if (commit.resource !== resourceOf(preference.dependents)) return verdict(state, false);
      noteCommit(state.knowledge, commit, factsOf(preference));
      // A sibling that changes after the deletion may be the reason for the choice.
      for (const { spared } of state.choices) delete spared[commit.uid];
      return verdict(state, onDeletion(controller, preference, state, commit, live));
    },
    onEntry(state, entry) {
      const { event } = entry;
      if (event !== 'started' && event.controller !== controller) return undefined;
      noteEntry(state.knowledge, entry);
      if (event !== 'started' && event.kind === 'reconcile.started') return undefined;
      const broken = judgeChoices(state, entry);
      return broken === undefined ? undefined : verdict(state, true, broken);
    },
    onObservation(state, observation) {
      noteObservation(state.knowledge, observation);
      return undefined;
    },
  });

import { type Actor, originsOf, transitionOf } from '../../../api/lifecycles/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Commit, type Invariant, invariant, verdict } from '../../invariants/invariant.ts';
import { type Move, movesOf } from './moves.ts';

export { type Move, movesOf } from './moves.ts';

/** Describes a move that is not allowed, with the actors that could make it. */
function describe({ lifecycle, from, to }: Move, { name, actor }: Commit): string {
  const others = lifecycle.transitions.filter(
    (each) => each.to === to && originsOf(lifecycle, each).includes(from),
  );
  const allowed = others.flatMap(({ by }) => by).join(', ') || 'no one';
  return `${actor} took the ${lifecycle.noun} ${name} from ${from} to ${to}, which is allowed to ${allowed}`;
}

/**
 * True if the writer of a commit may make the move. A write whose request was cut off has the actor `apiserver`, because
 * no client waits for its response. Then any writer of the transition may have sent it.
 */
const isAllowed = ({ lifecycle, from, to }: Move, actor: Actor): boolean =>
  transitionOf(lifecycle, from, to, actor) !== undefined ||
  (actor === 'apiserver' &&
    lifecycle.transitions.some(
      (each) =>
        each.to === to &&
        originsOf(lifecycle, each).includes(from) &&
        each.by.some((writer) => writer !== 'clock'),
    ));

/** Invariants about the states of objects. */
export const lifecycleInvariants = (vocabulary: Vocabulary): readonly Invariant[] => [
  invariant<null>({
    id: 'lifecycles/allowed-transition',
    says: 'every write leaves an object in its state, or takes a transition of its lifecycle that the writer may take',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const moves = movesOf(commit, vocabulary);
      const forbidden = moves.find((move) => !isAllowed(move, commit.actor));
      return verdict(state, moves.length > 0, forbidden && describe(forbidden, commit));
    },
  }),
];

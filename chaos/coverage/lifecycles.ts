import { ANY, type Lifecycle, transitionOf } from '../../api/lifecycles/index.ts';

/** Transitions of a lifecycle, and how often commits took each. */
export interface LifecycleSurvey {
  readonly lifecycle: string;
  readonly noun: string;
  readonly transitions: readonly {
    /** States in which the transition begins, or `any`. */
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly by: string;
    /** Number of occurrences; null for a transition that only the clock takes, without a commit. */
    readonly seen: number | null;
  }[];
}

/** Counts the moves of objects by transition. The names of moves are those in `Observed.moves`. */
export function surveyOfLifecycle(
  lifecycle: Lifecycle,
  moves: ReadonlyMap<string, { readonly count: number }>,
): LifecycleSurvey {
  const taken = [...moves].flatMap(([name, { count }]) => {
    const [id, from = '', to = '', ...actor] = name.split(' ');
    return id === lifecycle.id
      ? [{ transition: transitionOf(lifecycle, from, to, actor.join(' ')), count }]
      : [];
  });
  return {
    lifecycle: lifecycle.id,
    noun: lifecycle.noun,
    transitions: lifecycle.transitions.map((transition) => ({
      from: transition.from === ANY ? ANY : transition.from.join(', '),
      to: transition.to,
      reason: transition.reason,
      by: transition.by.join(', '),
      seen: transition.by.every((actor) => actor === 'clock')
        ? null
        : taken
            .filter((each) => each.transition === transition)
            .reduce((total, { count }) => total + count, 0),
    })),
  };
}

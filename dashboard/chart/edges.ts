import { type Chart, type ChartState, type ChartTransition, statesOf, triggerText } from './chart.ts';

/** All transitions from one state to another, drawn as one line. */
export interface ChartEdge {
  /** `from→to`. */
  readonly id: string;
  /** Paths; '' where any state of the machine has the transition. */
  readonly from: string;
  readonly to: string;
  /** What is written on the line: guards and events, as far as they are not said by the states themselves. */
  readonly label: string;
  /** The whole of it, for people who ask. */
  readonly title: string;
  /** It is taken when an effect fails or takes too long, and at no other time. */
  readonly failure: boolean;
}

export const edgeId = (from: string, to: string): string => `${from}→${to}`;

export function edgesOf(chart: Chart): readonly ChartEdge[] {
  const edges = new Map<string, { readonly state: ChartState; readonly transitions: ChartTransition[] }>();
  for (const state of statesOf(chart.root))
    for (const transition of state.transitions) {
      if (transition.target === undefined) continue;
      const id = edgeId(state.path, transition.target);
      const edge = edges.get(id) ?? { state, transitions: [] };
      edge.transitions.push(transition);
      edges.set(id, edge);
    }
  return [...edges].map(([id, { state, transitions }]) => edgeOf(id, state, transitions));
}

function edgeOf(id: string, state: ChartState, transitions: readonly ChartTransition[]): ChartEdge {
  const to = transitions[0]?.target ?? '';
  const failures = transitions.filter((each) => isFailure(each, state));
  const others = transitions.filter((each) => !isFailure(each, state));
  return {
    id,
    from: state.path,
    to,
    label: unique(others.map((each) => labelOf(each, to))).join(', '),
    title: unique(transitions.map(titleOf)).join(', '),
    failure: failures.length === transitions.length,
  };
}

/** An effect ended badly, or not in time. */
const isFailure = ({ trigger: { on } }: ChartTransition, { invokes }: ChartState): boolean =>
  on === 'error' || (on === 'after' && invokes.length > 0);

const unique = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.filter((text) => text !== '')),
];

/** The end of a state's own effect goes without saying, and so does a guard that is named as the state it leads to. */
function labelOf({ trigger, guard }: ChartTransition, to: string): string {
  const event = trigger.on === 'done' ? '' : triggerText(trigger);
  const condition = guard === undefined || guard === to ? '' : `[${guard}]`;
  return [event, condition].filter((text) => text !== '').join(' ');
}

const titleOf = ({ trigger, guard, actions }: ChartTransition): string =>
  [
    triggerText(trigger) || 'always',
    ...(guard === undefined ? [] : [`[${guard}]`]),
    ...(actions.length === 0 ? [] : [`/ ${actions.join(', ')}`]),
  ].join(' ');

import { type Chart, type ChartState, type ChartTransition, statesOf, triggerText } from './chart.ts';

/** All transitions from one state to another, drawn as one line. */
export interface ChartEdge {
  /** Identifier in the form `from→to`. */
  readonly id: string;
  /** Path of the source. It is '' for a transition of the machine itself, which applies in any state. */
  readonly from: string;
  readonly to: string;
  /** Label of the line: guards and events, except those that are already in the labels of the states. */
  readonly label: string;
  /** All triggers, guards and actions, for the tooltip. */
  readonly title: string;
  /** True if the transitions are taken only when an effect fails or times out. */
  readonly failure: boolean;
}

/** Returns the id of the edge between two paths. */
export const edgeId = (from: string, to: string): string => `${from}→${to}`;

/** Returns the edges of a chart. Transitions with the same source and target are one edge. */
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

/** True for the transitions that a state takes when its effect fails or times out. */
const isFailure = ({ trigger: { on } }: ChartTransition, { invokes }: ChartState): boolean =>
  on === 'error' || (on === 'after' && invokes.length > 0);

const unique = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.filter((text) => text !== '')),
];

/**
 * Labels a transition, without `done` of the state's own effect and without a guard that has the target's
 * name.
 */
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

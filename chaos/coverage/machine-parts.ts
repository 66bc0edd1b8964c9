import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** States and transitions of a machine that a run can cover. */
export interface MachineParts {
  /** The controller's name. */
  readonly controller: string;
  /** Paths of the innermost states, in order of definition. */
  readonly states: readonly string[];
  /** Transitions between different states. */
  readonly transitions: readonly MachineTransition[];
}

export interface MachineTransition {
  readonly from: string;
  readonly to: string;
  /** Type of the event; '' for an immediate transition. */
  readonly event: string;
  /** Cause of the transition: `done(observe)`, `error(observe)`, `after effectTimeout` or `always`. */
  readonly on: string;
}

/**
 * Returns the parts of a machine. Transitions that differ only in their guard count as one, because a journal
 * does not distinguish them.
 */
export function machinePartsOf(controller: string, { root }: AnyStateMachine): MachineParts {
  const nodes = [...nodesOf(root)];
  const transitions = nodes.flatMap(transitionsOf).filter(({ from, to }) => from !== to);
  const known = new Map(transitions.map((each) => [`${each.from} ${each.event} ${each.to}`, each]));
  return {
    controller,
    states: nodes.filter(({ states }) => Object.keys(states).length === 0).map(pathOf),
    transitions: [...known.values()],
  };
}

function* nodesOf(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of Object.values(node.states)) yield* nodesOf(child);
}

const pathOf = ({ path }: AnyStateNode): string => path.join('.');

function transitionsOf(node: AnyStateNode): readonly MachineTransition[] {
  const triggered = [...node.transitions].flatMap(([event, candidates]) =>
    candidates.flatMap(({ target = [] }) => target.map((to) => [event, triggerOf(event, node), to] as const)),
  );
  const always = (node.always ?? []).flatMap(({ target = [] }) =>
    target.map((to) => ['', 'always', to] as const),
  );
  return [...triggered, ...always].map(([event, on, to]) => ({
    from: pathOf(node),
    to: pathOf(to),
    event,
    on,
  }));
}

const ENDS = [
  ['xstate.done.actor.', 'done'],
  ['xstate.error.actor.', 'error'],
  ['xstate.done.state.', 'done'],
] as const;

function triggerOf(event: string, node: AnyStateNode): string {
  for (const [prefix, on] of ENDS)
    if (event.startsWith(prefix)) return `${on}(${event.slice(prefix.length)})`;
  const after = node.after.find(({ eventType }) => eventType === event);
  return after === undefined ? event : `after ${String(after.delay)}`;
}

/** True if an observed step is an instance of the transition. A compound state includes its substates. */
export const isTransition = (
  { from, to, event }: MachineTransition,
  seen: { readonly from: string; readonly to: string; readonly event: string },
): boolean => within(seen.from, from) && within(seen.to, to) && (event === '' || event === seen.event);

const within = (path: string, around: string): boolean =>
  around === '' || path === around || path.startsWith(`${around}.`);

import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Chart, ChartState, ChartTransition, Trigger } from './chart.ts';

/** Converts the definition of a machine to a chart. */
export const describeMachine = ({ id, root }: AnyStateMachine): Chart => ({
  id,
  description: root.description ?? '',
  root: describeState(root),
});

const pathOf = ({ path }: AnyStateNode): string => path.join('.');

function describeState(node: AnyStateNode): ChartState {
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined;
  return {
    path: pathOf(node),
    name: node.key,
    type: node.type,
    ...(initial === undefined ? {} : { initial: pathOf(initial) }),
    description: node.description ?? '',
    tags: node.tags,
    invokes: node.invoke.map(({ src, id }) => (typeof src === 'string' ? src : id)),
    entry: namesOf(node.entry),
    exit: namesOf(node.exit),
    states: Object.values(node.states).map(describeState),
    transitions: transitionsOf(node),
  };
}

function transitionsOf(node: AnyStateNode): readonly ChartTransition[] {
  const actors = new Map(node.invoke.map(({ id, src }) => [id, typeof src === 'string' ? src : id]));
  const delays = new Map<string, string>(
    node.after.map(({ eventType, delay }) => [eventType, delayText(delay)]),
  );
  const triggered = [...node.transitions].flatMap(([event, candidates]) =>
    candidates.map((each) => describeTransition(each, triggerOf(event, actors, delays))),
  );
  const always = (node.always ?? []).map((each) => describeTransition(each, { on: 'always', name: '' }));
  return [...triggered, ...always];
}

const delayText = (delay: unknown): string => (typeof delay === 'number' ? `${delay} ms` : String(delay));

const DONE = 'xstate.done.actor.';
const ERROR = 'xstate.error.actor.';
const DONE_STATE = 'xstate.done.state.';

function triggerOf(
  event: string,
  actors: ReadonlyMap<string, string>,
  delays: ReadonlyMap<string, string>,
): Trigger {
  const actor = (prefix: string): string =>
    actors.get(event.slice(prefix.length)) ?? event.slice(prefix.length);
  if (event.startsWith(DONE)) return { on: 'done', name: actor(DONE) };
  if (event.startsWith(ERROR)) return { on: 'error', name: actor(ERROR) };
  if (event.startsWith(DONE_STATE)) return { on: 'done', name: event.slice(DONE_STATE.length) };
  const delay = delays.get(event);
  return delay === undefined ? { on: 'event', name: event } : { on: 'after', name: delay };
}

function describeTransition(transition: AnyTransitionDefinition, trigger: Trigger): ChartTransition {
  const target = transition.target?.[0];
  const [guard] = namesOf(transition.guard === undefined ? [] : [transition.guard]);
  return {
    ...(target === undefined ? {} : { target: pathOf(target) }),
    trigger,
    ...(guard === undefined ? {} : { guard }),
    actions: namesOf(transition.actions),
  };
}

/**
 * Returns the names of guards or actions, without inline functions and without those of XState (`xstate.…`).
 */
function namesOf(implementations: readonly unknown[]): readonly string[] {
  return implementations.flatMap((each) => {
    const name = typeof each === 'string' ? each : typeNameOf(each);
    return name === undefined || name.startsWith('xstate.') ? [] : [name];
  });
}

const typeNameOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
    ? value.type
    : undefined;

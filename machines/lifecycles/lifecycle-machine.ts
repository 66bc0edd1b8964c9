import { type AnyStateMachine, createMachine } from 'xstate';
import {
  ABSENT,
  ANY,
  type Actor,
  DELETED,
  type Lifecycle,
  type Transition,
} from '../../api/lifecycles/index.ts';

/** Event that takes a transition. Its type is the transition's reason. */
export interface LifecycleEvent {
  readonly type: string;
  readonly by: Actor;
  /** Next state, as one reason may lead to several states. */
  readonly to: string;
}

interface TransitionConfig {
  readonly target: string;
  readonly guard: {
    readonly type: string;
    readonly params: { readonly by: readonly Actor[]; readonly to: string };
  };
}

/** Transitions of one state by event type, in the form of XState. */
type Handlers = Record<string, TransitionConfig[]>;

const list = new Intl.ListFormat('en', { type: 'disjunction' });

/** Returns the name of a transition's guard, such as `by csrsigning or user`. */
const guardName = ({ by }: Transition): string => `by ${list.format(by)}`;

function addTo(handlers: Handlers, transition: Transition): void {
  const { to, by, reason } = transition;
  const config = { target: `.${to}`, guard: { type: guardName(transition), params: { by, to } } };
  (handlers[reason] ??= []).push(config);
}

/** Returns the handlers of transitions as those of a state, whose targets are its siblings. */
function handlersOf(transitions: readonly Transition[]): Handlers {
  const handlers: Handlers = {};
  for (const each of transitions) addTo(handlers, each);
  for (const configs of Object.values(handlers))
    for (const [at, config] of configs.entries()) configs[at] = { ...config, target: config.target.slice(1) };
  return handlers;
}

/**
 * Returns the state machine of a lifecycle, with the id `lifecycle-` and the lifecycle's. It starts in `absent`
 * and ends in `deleted`. A guard accepts the event of an actor that may take the transition.
 */
export function lifecycleMachine({ id, states, transitions }: Lifecycle): AnyStateMachine {
  const fromAny: Handlers = {};
  for (const each of transitions) if (each.from === ANY) addTo(fromAny, each);
  const leaving = (state: string): Handlers =>
    handlersOf(transitions.filter(({ from }) => from !== ANY && from.includes(state)));
  // An absent object has no state that `any` includes, so these events change nothing.
  const ignored = Object.fromEntries(Object.keys(fromAny).map((reason) => [reason, {}]));
  const isAllowed = (
    { event }: { readonly event: LifecycleEvent },
    { by, to }: { readonly by: readonly Actor[]; readonly to: string },
  ): boolean => event.to === to && (by.includes(event.by) || by.includes('any client'));
  return createMachine(
    {
      id: `lifecycle-${id}`,
      initial: ABSENT,
      on: fromAny,
      states: {
        [ABSENT]: { description: 'the object does not exist yet', on: { ...ignored, ...leaving(ABSENT) } },
        ...Object.fromEntries(
          Object.entries(states).map(([state, description]) => [state, { description, on: leaving(state) }]),
        ),
        [DELETED]: { type: 'final', description: 'the object no longer exists' },
      },
    },
    { guards: Object.fromEntries(transitions.map((each) => [guardName(each), isAllowed as () => boolean])) },
  );
}

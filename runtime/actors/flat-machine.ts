import type { AnyStateMachine } from 'xstate';

type StateNode = AnyStateMachine['root'];
type Transition = NonNullable<StateNode['always']>[number];
type Context = Readonly<Record<string, unknown>>;

export interface FlatEvent {
  readonly type: string;
  readonly [detail: string]: unknown;
}

type Read<T> = (context: Context, event: FlatEvent) => T;

export interface FlatTransition {
  readonly allows: Read<boolean>;
  readonly assigns: readonly Read<object>[];
  /** Undefined where it leads nowhere: the state goes on. */
  readonly target: string | undefined;
}

export interface FlatInvocation {
  readonly id: string;
  readonly src: string;
  /** Types of the events that tell how it ended. */
  readonly done: string;
  readonly failed: string;
  readonly input: Read<unknown>;
}

export interface FlatDelay {
  readonly type: string;
  /** As the machine declares it, or the milliseconds themselves. */
  readonly name: string;
  readonly ms: Read<number>;
}

export interface FlatState {
  readonly name: string;
  readonly id: string;
  readonly tags: readonly string[];
  readonly final: boolean;
  readonly always: readonly FlatTransition[];
  readonly on: ReadonlyMap<string, readonly FlatTransition[]>;
  readonly invocation: FlatInvocation | undefined;
  readonly delays: readonly FlatDelay[];
}

/**
 * A machine of one level, whose states do nothing but invoke one effect, wait, hear and decide: the shape of nearly every
 * controller's. Being pure it needs no actor to run it, only somebody who carries out its effects (`FlatRun`).
 */
export interface FlatMachine {
  readonly initial: FlatState;
  readonly context: (input: unknown) => Context;
  readonly output: Read<unknown>;
  readonly state: (name: string) => FlatState;
}

/**
 * The machine in that shape; undefined for one that has more to it, whose runs need an actor: nested or parallel states,
 * events that are heard in any state or whatever they are, entry and exit actions, actions that are no `assign`, guards
 * made of guards, actors that are none of `effects`.
 */
export function toFlat(
  machine: AnyStateMachine,
  effects: Readonly<Record<string, unknown>>,
): FlatMachine | undefined {
  const shape = shapes.get(machine) ?? shapeOf(machine);
  shapes.set(machine, shape);
  return shape.invoked.every((src) => Object.hasOwn(effects, src)) ? shape.flat : undefined;
}

interface Shape {
  /** None of a machine that has more to it. */
  readonly flat: FlatMachine | undefined;
  /** What its states invoke. */
  readonly invoked: readonly string[];
}

/** A machine is a value: whoever runs it anew, with other effects of the same names, runs the same shape. */
const shapes = new WeakMap<AnyStateMachine, Shape>();

function shapeOf(machine: AnyStateMachine): Shape {
  const nodes = Object.values(machine.root.states) as StateNode[];
  const invoked = nodes.flatMap(({ invoke }) => invoke.map(({ src }) => String(src)));
  return { flat: flatMachine(machine, nodes), invoked };
}

function flatMachine(machine: AnyStateMachine, nodes: readonly StateNode[]): FlatMachine | undefined {
  const { root } = machine;
  const initial =
    root.type === 'compound' && root.initial.actions.length === 0 ? root.initial.target[0] : undefined;
  if (initial === undefined || !isBare(root) || !nodes.every((node) => isFlat(machine, node)))
    return undefined;
  const states = new Map(nodes.map((node) => [node.key, flatState(machine, node)]));
  const state = (name: string): FlatState => {
    const found = states.get(name);
    if (found === undefined) throw new Error(`machine ${machine.id} has no state ${name}`);
    return found;
  };
  const { context = {} } = machine.config;
  return {
    initial: state(initial.key),
    context: (input) => valueOf(context, new Alone({}, { type: 'xstate.init', input }, input)) as Context,
    output: (now, event) => valueOf(root.output, new Alone(now, event)),
    state,
  };
}

/** What its functions are called with. There is no actor that they could ask for. */
class Alone {
  readonly context: Context;
  readonly event: FlatEvent;
  readonly input: unknown;

  constructor(context: Context, event: FlatEvent, input?: unknown) {
    this.context = context;
    this.event = event;
    this.input = input;
  }

  get self(): never {
    return noActor('self');
  }

  get system(): never {
    return noActor('system');
  }

  get spawn(): never {
    return noActor('spawn');
  }
}

function noActor(name: string): never {
  throw new Error(`a pass is no actor: its machine has no ${name}`);
}

/** A function is asked, anything else is the value itself. */
const valueOf = (given: unknown, ...asked: readonly unknown[]): unknown =>
  typeof given === 'function' ? (given as (...asked: readonly unknown[]) => unknown)(...asked) : given;

/** Nothing but its states. */
const isBare = ({ config, always, invoke }: StateNode): boolean =>
  [config.on, config.after, config.entry, config.exit, config.onDone, always].every(
    (part) => part === undefined,
  ) && invoke.length === 0;

function isFlat(machine: AnyStateMachine, node: StateNode): boolean {
  const { config, type, invoke } = node;
  if (type !== 'atomic' && type !== 'final') return false;
  if (type === 'final' && (node.output !== undefined || !isBare(node))) return false;
  if ([config.entry, config.exit].some((part) => part !== undefined) || invoke.length > 1) return false;
  if ([...node.transitions.keys()].some((type) => type.includes('*'))) return false;
  const invoked = invoke.every(
    ({ src, systemId, onSnapshot }) =>
      typeof src === 'string' && systemId === undefined && onSnapshot === undefined,
  );
  const timed = node.after.every(
    ({ delay }) => typeof delay === 'number' || String(delay) in machine.implementations.delays,
  );
  const always = node.always ?? [];
  const heard = [...node.transitions.values()].flat();
  // A state that decides at once would have to decide anew where a transition leads nowhere.
  const leads = always.length === 0 || [...always, ...heard].every(({ target }) => target !== undefined);
  const isOne = (transition: Transition): boolean => isFlatTransition(machine, node, transition);
  return invoked && timed && leads && always.every(isOne) && heard.every(isOne);
}

const isFlatTransition = (
  machine: AnyStateMachine,
  node: StateNode,
  { target, guard, actions, reenter }: Transition,
): boolean =>
  (target === undefined || (target.length === 1 && (target[0] !== node || reenter))) &&
  (guard === undefined || isPlainGuard(named(machine.implementations.guards, guard))) &&
  actions.every((action) => isAssign(named(machine.implementations.actions, action)));

/** What a machine refers to: itself, or by its name. */
function named(implementations: object, reference: unknown): unknown {
  if (typeof reference === 'function') return reference;
  const name = typeof reference === 'string' ? reference : (reference as { readonly type: string }).type;
  return (implementations as Readonly<Record<string, unknown>>)[name];
}

const isPlainGuard = (guard: unknown): boolean => typeof guard === 'function' && !('check' in guard);

interface Assign {
  readonly type: 'xstate.assign';
  readonly assignment: unknown;
}

const isAssign = (action: unknown): action is Assign =>
  typeof action === 'function' && 'type' in action && action.type === 'xstate.assign';

function flatState(machine: AnyStateMachine, node: StateNode): FlatState {
  const flat = (transitions: readonly Transition[] = []) =>
    transitions.map((transition) => flatTransition(machine, transition));
  const [invoked] = node.invoke;
  return {
    name: node.key,
    id: node.id,
    tags: node.tags,
    final: node.type === 'final',
    always: flat(node.always),
    on: new Map([...node.transitions].map(([type, transitions]) => [type, flat(transitions)])),
    invocation: invoked && flatInvocation(invoked),
    delays: delaysOf(machine, node),
  };
}

const flatInvocation = ({ id, src, input }: StateNode['invoke'][number]): FlatInvocation => ({
  id,
  src: String(src),
  done: `xstate.done.actor.${id}`,
  failed: `xstate.error.actor.${id}`,
  input: (context, event) => valueOf(input, new Alone(context, event)),
});

/** One for each delay, however many transitions it has. */
function delaysOf(machine: AnyStateMachine, { after }: StateNode): readonly FlatDelay[] {
  const byType = new Map(after.map(({ eventType, delay }) => [String(eventType), delay]));
  return [...byType].map(([type, delay]) => {
    const declared: unknown = typeof delay === 'string' ? machine.implementations.delays[delay] : delay;
    return {
      type,
      name: String(delay),
      ms: (context, event) => Number(valueOf(declared, new Alone(context, event))),
    };
  });
}

function flatTransition(machine: AnyStateMachine, { guard, actions, target }: Transition): FlatTransition {
  const check = guard === undefined ? undefined : named(machine.implementations.guards, guard);
  return {
    allows: (context, event) =>
      check === undefined ||
      Boolean(valueOf(check, new Alone(context, event), paramsOf(guard, context, event))),
    assigns: actions.map((action) => {
      const assign = named(machine.implementations.actions, action);
      const assigned = assignedBy(isAssign(assign) ? assign.assignment : {});
      return (context, event) => assigned(new Alone(context, event), paramsOf(action, context, event));
    }),
    target: target?.[0]?.key,
  };
}

function paramsOf(reference: unknown, context: Context, event: FlatEvent): unknown {
  if (typeof reference !== 'object' || reference === null || !('params' in reference)) return undefined;
  return valueOf(reference.params, { context, event });
}

/** What an `assign` makes of a context. */
function assignedBy(assignment: unknown): (asked: Alone, params: unknown) => object {
  if (typeof assignment === 'function')
    return (asked, params) => valueOf(assignment, asked, params) as object;
  const parts = Object.entries(assignment as object);
  return (asked, params) => {
    const made: Record<string, unknown> = {};
    for (const [name, value] of parts) made[name] = valueOf(value, asked, params);
    return made;
  };
}

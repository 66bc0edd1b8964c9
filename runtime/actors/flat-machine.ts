import type { AnyStateMachine } from 'xstate';

type StateNode = AnyStateMachine['root'];
type Transition = NonNullable<StateNode['always']>[number];
type Context = Readonly<Record<string, unknown>>;

/** An event with its type and further fields. */
export interface FlatEvent {
  readonly type: string;
  readonly [detail: string]: unknown;
}

type Read<T> = (context: Context, event: FlatEvent) => T;

/** A transition with its guard and assignments. */
export interface FlatTransition {
  readonly allows: Read<boolean>;
  readonly assigns: readonly Read<object>[];
  /** Name of the next state; undefined if the current state stays active. */
  readonly target: string | undefined;
}

/** The effect of a state. */
export interface FlatInvocation {
  readonly id: string;
  readonly src: string;
  /** Event type for the success of the effect. */
  readonly done: string;
  readonly failed: string;
  readonly input: Read<unknown>;
}

/** A delayed transition of a state. */
export interface FlatDelay {
  readonly type: string;
  /** Name of the delay in the machine's `setup`, or the delay in milliseconds as a string. */
  readonly name: string;
  readonly ms: Read<number>;
}

/** A state without children. */
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
 * A machine with one level of states. Each state invokes at most one effect, waits, handles events and
 * selects a transition, as in nearly every controller. A flat machine is pure: it needs no actor, only a
 * runner of its effects (`FlatRun`).
 */
export interface FlatMachine {
  readonly initial: FlatState;
  readonly context: (input: unknown) => Context;
  readonly output: Read<unknown>;
  readonly state: (name: string) => FlatState;
}

/**
 * Converts a machine to a flat one. Returns undefined if the machine needs an actor, because it has
 *
 * - nested or parallel states,
 * - root-level or wildcard events,
 * - entry or exit actions, or actions other than `assign`,
 * - composed guards, or
 * - actors that `effects` lacks.
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
  /** Undefined for a machine that is not flat. */
  readonly flat: FlatMachine | undefined;
  /** Names of the invoked actors. */
  readonly invoked: readonly string[];
}

/** Results of `shapeOf` by machine. They depend on the names of the effects only, not on the functions. */
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
    context: (input) =>
      valueOf(context, new CallArguments({}, { type: 'xstate.init', input }, input)) as Context,
    output: (now, event) => valueOf(root.output, new CallArguments(now, event)),
    state,
  };
}

/** Arguments of the machine's functions. `self`, `system` and `spawn` throw, because there is no actor. */
class CallArguments {
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
  throw new Error(`a flat machine runs without an actor: ${name} is not available`);
}

/** Returns the result of a function, or any other value unchanged. */
const valueOf = (given: unknown, ...args: readonly unknown[]): unknown =>
  typeof given === 'function' ? (given as (...args: readonly unknown[]) => unknown)(...args) : given;

/** True for a node without transitions, actions and effects. */
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
  const handled = [...node.transitions.values()].flat();
  // XState evaluates `always` again after a transition without target, which a flat machine does not do.
  const leads = always.length === 0 || [...always, ...handled].every(({ target }) => target !== undefined);
  const isOne = (transition: Transition): boolean => isFlatTransition(machine, node, transition);
  return invoked && timed && leads && always.every(isOne) && handled.every(isOne);
}

const isFlatTransition = (
  machine: AnyStateMachine,
  node: StateNode,
  { target, guard, actions, reenter }: Transition,
): boolean =>
  (target === undefined || (target.length === 1 && (target[0] !== node || reenter))) &&
  (guard === undefined || isPlainGuard(named(machine.implementations.guards, guard))) &&
  actions.every((action) => isAssign(named(machine.implementations.actions, action)));

/** Resolves a guard or action given as a function, or by the name that the machine's `setup` declares. */
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
  input: (context, event) => valueOf(input, new CallArguments(context, event)),
});

/** Returns one entry for each delay of a state; several guarded transitions may share one delay. */
function delaysOf(machine: AnyStateMachine, { after }: StateNode): readonly FlatDelay[] {
  const byType = new Map(after.map(({ eventType, delay }) => [String(eventType), delay]));
  return [...byType].map(([type, delay]) => {
    const declared: unknown = typeof delay === 'string' ? machine.implementations.delays[delay] : delay;
    return {
      type,
      name: String(delay),
      ms: (context, event) => Number(valueOf(declared, new CallArguments(context, event))),
    };
  });
}

function flatTransition(machine: AnyStateMachine, { guard, actions, target }: Transition): FlatTransition {
  const check = guard === undefined ? undefined : named(machine.implementations.guards, guard);
  return {
    allows: (context, event) =>
      check === undefined ||
      Boolean(valueOf(check, new CallArguments(context, event), paramsOf(guard, context, event))),
    assigns: actions.map((action) => {
      const assign = named(machine.implementations.actions, action);
      const assigned = assignedBy(isAssign(assign) ? assign.assignment : {});
      return (context, event) =>
        assigned(new CallArguments(context, event), paramsOf(action, context, event));
    }),
    target: target?.[0]?.key,
  };
}

function paramsOf(reference: unknown, context: Context, event: FlatEvent): unknown {
  if (typeof reference !== 'object' || reference === null || !('params' in reference)) return undefined;
  return valueOf(reference.params, { context, event });
}

/** Converts the argument of an `assign` to a function. */
function assignedBy(assignment: unknown): (args: CallArguments, params: unknown) => object {
  if (typeof assignment === 'function') return (args, params) => valueOf(assignment, args, params) as object;
  const parts = Object.entries(assignment as object);
  return (args, params) => {
    const assigned: Record<string, unknown> = {};
    for (const [name, value] of parts) assigned[name] = valueOf(value, args, params);
    return assigned;
  };
}

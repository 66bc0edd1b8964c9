import { type AnyStateMachine, assign, setup } from 'xstate';
import { CodedError, isCoded, messageOf } from '../../base/errors/index.ts';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failed,
  failedBy,
  reconcileDelays,
  settled,
  unprovided,
} from './reconcile.ts';
import { effectState } from './effect-state.ts';

/**
 * One action as plain JSON. `type` is the name of the effect that runs the action, and of the state in which
 * it runs.
 */
export interface PlannedAction {
  readonly type: string;
}

/** Plan of one reconcile: actions to run one after another, and the output after the last action. */
export interface Plan<Action extends PlannedAction> {
  readonly actions: readonly Action[];
  /** Output after the last action. Default `settled()`. */
  readonly then?: ReconcileOutput;
}

export type PlanErrorCode = 'ERR_PLAN_ACTION';

/**
 * Function type whose return type is one member of a union. The union becomes an intersection of functions,
 * of which inference selects the last overload.
 */
type LastOf<Union> = (Union extends unknown ? (member: () => Union) => void : never) extends (
  member: infer Overloads,
) => void
  ? Overloads extends () => infer Last
    ? Last
    : never
  : never;

/**
 * Number of members of a union of literals; `number` for a type with infinitely many values, such as
 * `string`.
 */
type CountOf<Union extends string, Counted extends readonly unknown[] = readonly []> = [Union] extends [never]
  ? Counted['length']
  : Partial<Record<Union, 0>> extends Record<Union, 0>
    ? number
    : CountOf<Exclude<Union, LastOf<Union>>, readonly [...Counted, unknown]>;

/** Declaration of a plan machine. */
export interface PlanMachineDeclaration<
  Observed,
  Action extends PlannedAction,
  Type extends Action['type'] = Action['type'],
> {
  /** Name of the controller. */
  readonly id: string;
  /**
   * Types of all actions, each once. A list that lacks a type has another length and does not compile. A list
   * that repeats a type is rejected when the machine is created.
   */
  readonly actions: readonly Type[] & { readonly length: CountOf<Type> };
  /**
   * Decides from the observation alone: no clock, no cache, no I/O. If the function throws, the reconcile
   * fails. If the plan has an action whose type is not in `actions`, the reconcile fails with
   * `ERR_PLAN_ACTION`, and no action runs.
   */
  readonly plan: (
    observed: Observed,
    input: ReconcileInput,
  ) => Plan<Action & { readonly type: NoInfer<Type> }>;
  /** Time limit of one effect in milliseconds. Default 30,000. */
  readonly effectTimeoutMs?: number;
}

interface PlanContext<Action> extends ReconcileInput {
  /** Remaining actions in order. */
  readonly actions: readonly Action[];
  readonly output: ReconcileOutput;
}

const OUTCOMES = ['settled', 'requeue', 'failed'] as const;
const OWN_STATES: ReadonlySet<string> = new Set(['observing', 'choosing', ...OUTCOMES]);

/**
 * Creates the machine of a controller that observes, decides and then acts:
 *
 *     observing → choosing ⇄ one state for each action
 *                    ↓
 *          settled | requeue | failed
 *
 * The actors of the machine are `observe` and one actor for each action type. `observe` receives the
 * `ReconcileInput` and returns the observation; the other actors receive their action. An effect that fails
 * or times out ends the reconcile as failed, and the next reconcile observes again.
 *
 * A controller that needs more states, such as a decision between two effects or an expected rejection,
 * declares its own machine. Throws if an action type is repeated or is the name of a built-in state.
 */
export function createPlanMachine<
  Observed,
  Action extends PlannedAction,
  const Type extends Action['type'] = Action['type'],
>(declared: PlanMachineDeclaration<Observed, Action, Type>): AnyStateMachine {
  const { id, effectTimeoutMs = reconcileDelays.effectTimeout } = declared;
  const types: readonly string[] = declared.actions;
  const reserved = types.find((type) => OWN_STATES.has(type) || type === 'observe');
  if (reserved !== undefined)
    throw new TypeError(`machine ${id}: an action may not be named ${JSON.stringify(reserved)}`);
  const repeated = types.find((type, at) => types.indexOf(type) !== at);
  if (repeated !== undefined)
    throw new TypeError(`machine ${id}: the action ${JSON.stringify(repeated)} may be named only once`);
  const machine = setup({
    types: {
      input: {} as ReconcileInput,
      context: {} as PlanContext<Action>,
      output: {} as ReconcileOutput,
    },
    actors: {
      observe: unprovided<Observed, ReconcileInput>('observe'),
      ...Object.fromEntries(types.map((type) => [type, unprovided<unknown, Action>(type)])),
    },
    guards: {
      'it is the next action': ({ context }, { type }: { type: string }) => context.actions[0]?.type === type,
      'no action is left': ({ context }, { outcome }: { outcome: ReconcileOutput['outcome'] }) =>
        context.output.outcome === outcome,
    },
    actions: {
      decide: assign(({ context }, { observed }: { observed: Observed }) =>
        decided(declared, observed, context),
      ),
      done: assign({ actions: ({ context }) => context.actions.slice(1) }),
      fail: assign({ output: failedBy }),
    },
    delays: { effectTimeout: effectTimeoutMs },
  });
  return machine.createMachine({
    id,
    context: ({ input: { key, retries } }) => ({ key, retries, actions: [], output: settled() }),
    output: ({ context }) => context.output,
    initial: 'observing',
    states: {
      observing: observing<Observed>(),
      choosing: choosingAmong(types),
      ...Object.fromEntries(types.map((type) => [type, doing(type)])),
      settled: { type: 'final' },
      requeue: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}

function decided<Observed, Action extends PlannedAction>(
  { id, actions: types, plan }: PlanMachineDeclaration<Observed, Action>,
  observed: Observed,
  { key, retries }: ReconcileInput,
): Partial<PlanContext<Action>> {
  try {
    const { actions, then = settled() } = plan(observed, { key, retries });
    const undeclared = actions.find(({ type }) => !types.includes(type));
    if (undeclared !== undefined)
      throw new CodedError<PlanErrorCode>(
        'ERR_PLAN_ACTION',
        `the plan of ${id} names the action ${JSON.stringify(undeclared.type)}; expected one of ${types.join(', ')}`,
      );
    return { actions, output: then };
  } catch (thrown) {
    const code = isCoded(thrown, 'ERR_PLAN_ACTION') ? 'ERR_PLAN_ACTION' : undefined;
    return { actions: [], output: failed(messageOf(thrown), code) };
  }
}

const observing = <Observed>() =>
  effectState({
    src: 'observe' as const,
    input: ({ context: { key, retries } }: { context: ReconcileInput }) => ({ key, retries }),
    onDone: {
      target: 'choosing',
      actions: {
        type: 'decide' as const,
        params: ({ event }: { event: { output: Observed } }) => ({ observed: event.output }),
      },
    },
  });

/**
 * Returns a state with transitions to the state of the next action, or to the outcome if no action is left.
 */
const choosingAmong = (types: readonly string[]) => ({
  always: [
    ...types.map((type) => ({
      target: type,
      guard: { type: 'it is the next action', params: { type } } as const,
    })),
    ...OUTCOMES.map((outcome) => ({
      target: outcome,
      guard: { type: 'no action is left', params: { outcome } } as const,
    })),
  ],
});

const doing = (type: string) =>
  effectState({
    src: type,
    input: ({ context }: { context: { readonly actions: readonly PlannedAction[] } }) => context.actions[0],
    onDone: { target: 'choosing', actions: 'done' as const },
  });

import { type AnyStateMachine, assign, setup } from 'xstate';
import { CodedError, isCoded, messageOf } from '../../base/errors/index.ts';
import {
  type ReconcileInput,
  type ReconcileOutput,
  errorText,
  failed,
  reconcileDelays,
  settled,
  unprovided,
} from './pass.ts';

/** One action as plain JSON. `type` names the effect that runs it and the state it runs in. */
export interface PlannedAction {
  readonly type: string;
}

/** Plan of one reconcile: actions to run one after another, and the output once all are done. */
export interface Plan<Action extends PlannedAction> {
  readonly actions: readonly Action[];
  /** Output after the last action. Default `settled()`. */
  readonly then?: ReconcileOutput;
}

export type PlanErrorCode = 'ERR_PLAN_ACTION';

/** Turns a union into an intersection of functions, so that inference from its last overload picks one member. */
type LastOf<Union> = (Union extends unknown ? (member: () => Union) => void : never) extends (
  member: infer Overloads,
) => void
  ? Overloads extends () => infer Last
    ? Last
    : never
  : never;

/** Number of members of a union of literals; `number` for a type with any number of values, such as `string`. */
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
   * Types of all actions, each once. A list with a missing one has another length and does not compile; one that is named
   * twice is rejected when the machine is created.
   */
  readonly actions: readonly Type[] & { readonly length: CountOf<Type> };
  /**
   * Decides from the observation and nothing else: no clock, no cache, no I/O. If it throws, the reconcile
   * fails. An action whose type is not in `actions` fails the reconcile with `ERR_PLAN_ACTION`, and no action
   * of the plan runs.
   */
  readonly plan: (
    observed: Observed,
    pass: ReconcileInput,
  ) => Plan<Action & { readonly type: NoInfer<Type> }>;
  /** Time limit of one effect in milliseconds. Default 30 000. */
  readonly effectTimeoutMs?: number;
}

interface PlanContext<Action> extends ReconcileInput {
  /** Remaining actions, the next one first. */
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
 * Its actors are `observe` and one for each action type. `observe` receives the `ReconcileInput` and returns the
 * observation; the others receive their action. An effect that fails or times out ends the reconcile as
 * failed, and the next one observes again.
 *
 * A controller with more states, such as a decision between two effects or an expected refusal, brings its
 * own machine. Throws if an action type is the name of another state or is named twice.
 */
export function createPlanMachine<
  Observed,
  Action extends PlannedAction,
  const Type extends Action['type'] = Action['type'],
>(declared: PlanMachineDeclaration<Observed, Action, Type>): AnyStateMachine {
  const { id, effectTimeoutMs = reconcileDelays.effectTimeout } = declared;
  const types: readonly string[] = declared.actions;
  const taken = types.find((type) => OWN_STATES.has(type) || type === 'observe');
  if (taken !== undefined)
    throw new TypeError(`machine ${id}: an action may not be named ${JSON.stringify(taken)}`);
  const twice = types.find((type, at) => types.indexOf(type) !== at);
  if (twice !== undefined)
    throw new TypeError(`machine ${id}: the action ${JSON.stringify(twice)} may be named only once`);
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
      isNext: ({ context }, { type }: { type: string }) => context.actions[0]?.type === type,
      endsAs: ({ context }, { outcome }: { outcome: ReconcileOutput['outcome'] }) =>
        context.output.outcome === outcome,
    },
    actions: {
      decide: assign(({ context }, { observed }: { observed: Observed }) =>
        decided(declared, observed, context),
      ),
      done: assign({ actions: ({ context }) => context.actions.slice(1) }),
      fail: assign({ output: ({ event }) => failed(errorText(event)) }),
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
    const stranger = actions.find(({ type }) => !types.includes(type));
    if (stranger !== undefined)
      throw new CodedError<PlanErrorCode>(
        'ERR_PLAN_ACTION',
        `the plan of ${id} names the action ${JSON.stringify(stranger.type)}; declared are ${types.join(', ')}`,
      );
    return { actions, output: then };
  } catch (thrown) {
    const code = isCoded(thrown, 'ERR_PLAN_ACTION') ? 'ERR_PLAN_ACTION' : undefined;
    return { actions: [], output: failed(messageOf(thrown), code) };
  }
}

const failure = { target: 'failed', actions: 'fail' } as const;

const observing = <Observed>() => ({
  invoke: {
    id: 'observe',
    src: 'observe' as const,
    input: ({ context: { key, retries } }: { context: ReconcileInput }) => ({ key, retries }),
    onDone: {
      target: 'choosing',
      actions: {
        type: 'decide' as const,
        params: ({ event }: { event: { output: Observed } }) => ({ observed: event.output }),
      },
    },
    onError: failure,
  },
  after: { effectTimeout: failure },
});

/** Transitions to the state of the next action, or to the outcome if there is none. */
const choosingAmong = (types: readonly string[]) => ({
  always: [
    ...types.map((type) => ({ target: type, guard: { type: 'isNext', params: { type } } as const })),
    ...OUTCOMES.map((outcome) => ({
      target: outcome,
      guard: { type: 'endsAs', params: { outcome } } as const,
    })),
  ],
});

const doing = (type: string) => ({
  invoke: {
    id: type,
    src: type,
    input: ({ context }: { context: { readonly actions: readonly PlannedAction[] } }) => context.actions[0],
    onDone: { target: 'choosing', actions: 'done' as const },
    onError: failure,
  },
  after: { effectTimeout: failure },
});

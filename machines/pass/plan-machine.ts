import { type AnyStateMachine, assign, setup } from 'xstate';
import { CodedError, isCoded, messageOf } from '../../base/errors/coded.ts';
import {
  type PassInput,
  type PassOutput,
  errorText,
  failed,
  passDelays,
  settled,
  unprovided,
} from './pass.ts';

/** One thing to do, as plain JSON; `type` is the name of the effect that does it and of the state in which it is done. */
export interface PlannedAction {
  readonly type: string;
}

/** What a pass comes to: what is to be done, one after the other, and how the pass ends when all of it is done. */
export interface Plan<Action extends PlannedAction> {
  readonly actions: readonly Action[];
  /** Default settled. */
  readonly then?: PassOutput;
}

export type PlanErrorCode = 'ERR_PLAN_ACTION';

export interface PlanMachineDeclaration<
  Observed,
  Action extends PlannedAction,
  Type extends Action['type'] = Action['type'],
> {
  /** The controller's name. */
  readonly id: string;
  /** The types of all actions. */
  readonly actions: readonly Type[];
  /**
   * Decides, from what was observed and nothing else: no clock, no cache, no I/O. What it throws fails the reconcile, as
   * does an action of a type that is not among `actions` (`ERR_PLAN_ACTION`): then none of the plan is carried out.
   */
  readonly plan: (observed: Observed, pass: PassInput) => Plan<Action & { readonly type: NoInfer<Type> }>;
  /** How long one effect may be under way, milliseconds. Default 30 000. */
  readonly effectTimeoutMs?: number;
}

interface PlanContext<Action> extends PassInput {
  /** Not done yet, the next one first. */
  readonly actions: readonly Action[];
  readonly output: PassOutput;
}

const OUTCOMES = ['settled', 'requeue', 'failed'] as const;
const OWN_STATES: ReadonlySet<string> = new Set(['observing', 'choosing', ...OUTCOMES]);

/**
 * The machine of a controller that observes, decides and then acts:
 *
 *     observing → choosing ⇄ one state for each action
 *                    ↓
 *          settled | requeue | failed
 *
 * Its actors are `observe`, which gets the `PassInput` and gives what the plan is made from, and one for each type of
 * action, which gets the action. An effect that fails or takes too long ends the pass as failed: the next one observes
 * anew. A controller with more to say (a decision between two effects, a refusal that is expected) brings a machine of
 * its own. Throws for a type of action that is the name of another state.
 */
export function createPlanMachine<
  Observed,
  Action extends PlannedAction,
  const Type extends Action['type'] = Action['type'],
>(declared: PlanMachineDeclaration<Observed, Action, Type>): AnyStateMachine {
  const { id, effectTimeoutMs = passDelays.effectTimeout } = declared;
  const types: readonly string[] = declared.actions;
  const taken = types.find((type) => OWN_STATES.has(type) || type === 'observe');
  if (taken !== undefined)
    throw new TypeError(`machine ${id}: an action may not be named ${JSON.stringify(taken)}`);
  const machine = setup({
    types: {
      input: {} as PassInput,
      context: {} as PlanContext<Action>,
      output: {} as PassOutput,
    },
    actors: {
      observe: unprovided<Observed, PassInput>('observe'),
      ...Object.fromEntries(types.map((type) => [type, unprovided<unknown, Action>(type)])),
    },
    guards: {
      isNext: ({ context }, { type }: { type: string }) => context.actions[0]?.type === type,
      endsAs: ({ context }, { outcome }: { outcome: PassOutput['outcome'] }) =>
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
  { key, retries }: PassInput,
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
    input: ({ context: { key, retries } }: { context: PassInput }) => ({ key, retries }),
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

/** Goes to the state of the next action, and to that of the outcome when there is none. */
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

import { initialTransition, transition } from 'xstate';
import { describe, expect, it } from 'vitest';
import { type ReconcileOutput, requeue } from './reconcile.ts';
import { type Plan, createPlanMachine } from './plan-machine.ts';

type Action = { readonly type: 'make' | 'announce'; readonly what: string };

const machineOf = (plan: (observed: string) => Plan<Action>) =>
  createPlanMachine<string, Action>({ id: 'planner', actions: ['make', 'announce'], plan });

const done = (actor: string, output?: unknown) => ({ type: `xstate.done.actor.${actor}`, output });
const failed = (actor: string) => ({ type: `xstate.error.actor.${actor}`, error: new Error('refused') });
const late = (state: string) => ({ type: `xstate.after.effectTimeout.planner.${state}` });

function run(plan: (observed: string) => Plan<Action>, ...events: readonly { readonly type: string }[]) {
  const machine = machineOf(plan);
  const [first] = initialTransition(machine, { key: 'a/b', retries: 0 });
  const last = events.reduce((snapshot, event) => transition(machine, snapshot, event)[0], first);
  return {
    state: last.value as string,
    output: last.output as ReconcileOutput | undefined,
    context: last.context,
  };
}

const both = (): Plan<Action> => ({
  actions: [
    { type: 'make', what: 'x' },
    { type: 'announce', what: 'y' },
  ],
});

describe('createPlanMachine', () => {
  it('observes, runs each action in a state named after it, and settles', () => {
    expect(run(both).state).toBe('observing');
    expect(run(both, done('observe', 'o')).state).toBe('make');
    expect(run(both, done('observe', 'o'), done('make')).state).toBe('announce');
    expect(run(both, done('observe', 'o'), done('make'), done('announce'))).toMatchObject({
      state: 'settled',
      output: { outcome: 'settled' },
    });
  });

  it('decides on the observation and returns the output of the plan', () => {
    const plan = (observed: string): Plan<Action> => ({ actions: [], then: requeue(50, observed) });
    expect(run(plan, done('observe', 'not yet'))).toMatchObject({
      state: 'requeue',
      output: { outcome: 'requeue', afterMs: 50, reason: 'not yet' },
    });
  });

  it.each([
    ['observation', [failed('observe')], 'refused'],
    ['slow observation', [late('observing')], 'timed out in state observing'],
    ['action', [done('observe', ''), failed('make')], 'refused'],
    ['slow action', [done('observe', ''), late('make')], 'timed out in state make'],
  ])('fails the reconcile if the %s fails', (_, events, error) =>
    expect(run(both, ...events)).toMatchObject({ state: 'failed', output: { outcome: 'failed', error } }),
  );

  it('fails the reconcile if the plan throws', () => {
    const broken = (): Plan<Action> => {
      throw new Error('no such thing');
    };
    expect(run(broken, done('observe', '')).output).toEqual({ outcome: 'failed', error: 'no such thing' });
  });

  it('fails with a code and runs no action if the plan has an undeclared action', () => {
    const strange = (): Plan<Action> => ({
      actions: [
        { type: 'make', what: 'x' },
        { type: 'makke' as 'make', what: 'y' },
      ],
    });
    expect(run(strange, done('observe', ''))).toMatchObject({
      state: 'failed',
      output: {
        outcome: 'failed',
        code: 'ERR_PLAN_ACTION',
        error: 'the plan of planner names the action "makke"; expected one of make, announce',
      },
    });
  });

  it('has types that reject a plan with an undeclared action', () => {
    const declarations = () => [
      createPlanMachine({
        id: 'x',
        actions: ['say'],
        // @ts-expect-error: the plan has an action that `actions` lacks
        plan: () => ({ actions: [{ type: 'sayy' }, { type: 'say' }] }),
      }),
      createPlanMachine<string, Action>({
        id: 'x',
        actions: ['make', 'announce'],
        // @ts-expect-error: the type of the action is not a type of `Action`
        plan: () => ({ actions: [{ type: 'makke', what: 'x' }] }),
      }),
      createPlanMachine<string, Action>({
        id: 'x',
        // @ts-expect-error: the list has a type that is not a type of `Action`
        actions: ['make', 'say'],
        plan: both,
      }),
      createPlanMachine({
        id: 'x',
        actions: ['make', 'announce'],
        plan: (observed: string): Plan<Action> => (observed === '' ? both() : { actions: [] }),
      }),
      createPlanMachine({
        id: 'x',
        actions: ['say'],
        plan: () => ({ actions: [{ type: 'say', what: 'x' }] }),
      }),
      createPlanMachine({ id: 'x', actions: [], plan: () => ({ actions: [] }) }),
    ];
    expect(declarations).toBeDefined();
  });

  it('has types that reject a list that lacks an action of the plan', () => {
    type Many = { readonly type: 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' };
    const many = (): Plan<Many> => ({ actions: [] });
    const declarations = () => [
      createPlanMachine<string, Action>({
        id: 'x',
        // @ts-expect-error: the list lacks `announce`
        actions: ['make'],
        plan: both,
      }),
      createPlanMachine<string, Action>({
        id: 'x',
        // @ts-expect-error: the list is empty
        actions: [],
        plan: both,
      }),
      createPlanMachine({
        id: 'x',
        actions: ['make'],
        // @ts-expect-error: the list lacks `announce`
        plan: (_observed: string): Plan<Action> => both(),
      }),
      createPlanMachine<string, Many>({
        id: 'x',
        // @ts-expect-error: the list lacks `i`
        actions: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
        plan: many,
      }),
      createPlanMachine<string, Many>({
        id: 'x',
        actions: ['i', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'a'],
        plan: many,
      }),
      createPlanMachine<string, { readonly type: string }>({
        id: 'x',
        actions: ['any'],
        plan: () => ({ actions: [{ type: 'any' }] }),
      }),
    ];
    expect(declarations).toBeDefined();
  });

  it('rejects an action that is named twice', () => {
    expect(() =>
      createPlanMachine<string, Action>({ id: 'x', actions: ['make', 'make'], plan: both }),
    ).toThrow('machine x: the action "make" may be named only once');
  });

  it('has a context of plain JSON in every state', () => {
    const { context } = run(both, done('observe', 'o'), done('make'));
    expect(JSON.parse(JSON.stringify(context))).toEqual(context);
  });

  it('rejects an action named like a built-in state', () => {
    expect(() =>
      createPlanMachine<string, { type: 'settled' }>({
        id: 'x',
        actions: ['settled'],
        plan: () => ({ actions: [] }),
      }),
    ).toThrow('machine x: an action may not be named "settled"');
  });
});

import { assign, initialTransition, setup, transition } from 'xstate';
import { describe, expect, it } from 'vitest';
import { effectStates } from './effect-state.ts';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  reconcileDelays,
  settled,
  unprovided,
} from './reconcile.ts';

interface Context extends ReconcileInput {
  readonly size: number;
  readonly output: ReconcileOutput;
}

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<{ readonly size: number }, { readonly key: string }>('observe'),
    sweep: unprovided<void, { readonly size: number }>('sweep'),
  },
  guards: { 'it is empty': (_, { size }: { size: number }) => size === 0 },
  actions: { fail: assign({ output: failedBy }) },
  delays: { ...reconcileDelays, sweepTimeout: 90_000 },
});
const effectState = effectStates(machineSetup);

const machine = machineSetup.createMachine({
  id: 'sweeper',
  context: ({ input }) => ({ size: 0, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: [
        { guard: { type: 'it is empty', params: ({ event }) => event.output }, target: 'settled' },
        { target: 'sweeping', actions: assign({ size: ({ event }) => event.output.size }) },
      ],
    }),
    sweeping: effectState(
      { id: 'broom', src: 'sweep', input: ({ context: { size } }) => ({ size }), onDone: 'settled' },
      'sweepTimeout',
    ),
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});

const run = (...events: readonly { readonly type: string; readonly output?: unknown }[]) => {
  const [first] = initialTransition(machine, { key: 'a', retries: 0 });
  const { value, output } = events.reduce((last, event) => transition(machine, last, event)[0], first);
  return { value, output };
};
const observed = (size: number) => ({ type: 'xstate.done.actor.observe', output: { size } });
const late = (delay: string, state: string) => ({ type: `xstate.after.${delay}.sweeper.${state}` });

describe('effectState', () => {
  it('follows the transitions of the result', () => {
    expect(run(observed(0)).value).toBe('settled');
    expect(run(observed(2)).value).toBe('sweeping');
    expect(run(observed(2), { type: 'xstate.done.actor.broom' }).output).toEqual({ outcome: 'settled' });
  });

  it.each([
    ['rejects', [{ type: 'xstate.error.actor.observe', error: new Error('refused') }], 'refused'],
    ['misses the default time limit', [late('effectTimeout', 'observing')], 'timed out in state observing'],
    [
      'misses a time limit of another name',
      [observed(2), late('sweepTimeout', 'sweeping')],
      'timed out in state sweeping',
    ],
  ])('ends the reconcile as failed if the effect %s', (_how, events, error) =>
    expect(run(...events)).toEqual({ value: 'failed', output: { outcome: 'failed', error } }),
  );

  it('limits an effect only by the delay of the given name', () =>
    expect(run(observed(2), late('effectTimeout', 'sweeping')).value).toBe('sweeping'));

  it('has types that reject names and fields that the setup does not declare', () => {
    const declarations = () => [
      // @ts-expect-error: the setup has no actor of this name
      effectState({ src: 'observed', input: ({ context }) => ({ key: context.key }) }),
      // @ts-expect-error: the input lacks the key
      effectState({ src: 'observe', input: () => ({}) }),
      effectState({
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        // @ts-expect-error: the setup has no guard of this name
        onDone: { guard: 'it is full', target: 'settled' },
      }),
      effectState({
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        // @ts-expect-error: the output has no such field
        onDone: { target: 'settled', actions: assign({ size: ({ event }) => event.output.length }) },
      }),
    ];
    expect(declarations).toBeDefined();
  });
});

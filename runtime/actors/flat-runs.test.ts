import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, not, setup } from 'xstate';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { specimens } from '../../machines/specimens.fixture.ts';
import { reconcileDelays, unprovided } from '../../machines/reconcile/reconcile.ts';
import { createActorRuns } from './actor-runs.ts';
import type { Effect } from './effects.ts';
import { toFlat } from './flat-machine.ts';
import { createFlatRuns } from './flat-runs.ts';
import type { MachineRuns, MachineRunsOptions } from './machine-runs.ts';

type Answers = { readonly [effect: string]: readonly unknown[] };
type Runs = (machine: AnyStateMachine, options: MachineRunsOptions<string>) => MachineRuns<string>;

const HANGS = Symbol('hangs');
const broken = new Error('broken');

const flatRuns: Runs = (machine, options) => {
  const flat = toFlat(machine, options.effects);
  if (flat === undefined) throw new Error(`${machine.id} is not flat`);
  return createFlatRuns(flat, options);
};

/**
 * Returns everything observable of a run. `course` selects the result of each effect by index: a value, an
 * error, or no result at all.
 */
async function notified(runs: Runs, machine: AnyStateMachine, answers: Answers, course: readonly number[]) {
  const clock = createSimulatedClock();
  const states: string[] = [];
  const effects: string[] = [];
  const choices = [...course];
  const effectOf = (name: string): Effect => {
    const possible = [...(answers[name] ?? []), broken, HANGS];
    return (input: unknown, signal: AbortSignal) => {
      effects.push(`${name} ${JSON.stringify(input)}`);
      const answer = possible[(choices.shift() ?? 0) % possible.length];
      if (answer === HANGS)
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            effects.push(`${name} aborted`);
            reject(broken);
          });
        });
      return answer === broken ? Promise.reject(broken) : Promise.resolve(answer);
    };
  };
  const made = runs(machine, {
    effects: Object.fromEntries(Object.keys(answers).map((name) => [name, effectOf(name)])),
    clock,
    log: silentLogger,
    observer: {
      entered: (pass, state, event) => states.push(`${pass} ${state} by ${event}`),
      effect: () => undefined,
    },
  });
  const end = made.run('key', { key: 'team/thing', retries: 2 }, 'pass').then(
    (output) => ({ output }),
    // XState adds the location of a guard to its error message, so only the original message is compared.
    (thrown: unknown) => ({
      error: String(thrown)
        .split('\n')
        .at(-1)
        ?.replace(/^\w+: /, ''),
    }),
  );
  await clock.advance(300_000);
  return { states, effects, end: await end, left: made.state('key') };
}

/** Returns all sequences of three indexes below `width`. Effects after the third use index 0. */
const courses = (width: number): readonly (readonly number[])[] => {
  const steps = Array.from({ length: width }, (_, at) => at);
  return steps.flatMap((first) =>
    steps.flatMap((second) => [0, 1, 2].map((third) => [first, second, third])),
  );
};

describe.each(specimens.map(({ machine, answers }) => [machine.id, machine, answers] as const))(
  'a flat run of machine %s',
  (_id, machine, answers) => {
    it('has the same states, effects and end as an actor', async () => {
      const width = Math.max(...Object.values(answers).map(({ length }) => length)) + 2;
      const all = courses(width);
      const step = Math.max(1, Math.floor(all.length / 40));
      for (const course of all.filter((_, at) => at % step === 0))
        expect(await notified(flatRuns, machine, answers, course)).toEqual(
          await notified(createActorRuns, machine, answers, course),
        );
    });
  },
);

function machineOf(changes: object, states: object = {}): AnyStateMachine {
  const machine: unknown = setup({
    actors: { work: unprovided('work') },
    delays: reconcileDelays,
  }).createMachine({
    id: 'odd',
    initial: 'working',
    states: {
      working: { invoke: { id: 'work', src: 'work', onDone: { target: 'over' } }, ...changes },
      over: { type: 'final' },
      ...states,
    },
  } as never);
  return machine as AnyStateMachine;
}

describe('toFlat', () => {
  const effects = { work: () => Promise.resolve() };

  it('converts a machine whose states only invoke, wait and select a transition', () => {
    expect(toFlat(machineOf({ after: { effectTimeout: 'over', 10: 'over' } }), effects)).toBeDefined();
  });

  it('converts a machine only if the effects of this call include all its actors', () => {
    const machine = machineOf({});
    expect(toFlat(machine, {})).toBeUndefined();
    expect(toFlat(machine, effects)).toBeDefined();
    expect(toFlat(machine, {})).toBeUndefined();
  });

  it.each<[string, object, object?]>([
    ['nested states', { initial: 'a', states: { a: {} } }],
    ['wildcard events', { on: { '*': 'over' } }],
    ['entry actions', { entry: assign({}) }],
    ['exit actions', { exit: assign({}) }],
    ['actions other than assign', { invoke: { src: 'work', onDone: { target: 'over', actions: () => {} } } }],
    ['composed guards', { always: { guard: not(() => true), target: 'over' } }],
    [
      'a transition without target in a deciding state',
      { always: { guard: () => false, target: 'over' }, on: { go: { actions: assign({}) } } },
    ],
    ['an internal transition to the state itself', { after: { 10: { target: 'working' } } }],
    ['several effects in one state', { invoke: [{ src: 'work' }, { src: 'work' }] }],
    ['an effect that is missing', { invoke: { src: 'other' } }],
    ['an undeclared delay', { after: { someday: 'over' } }],
    ['a final state with an output', {}, { over: { type: 'final', output: 1 } }],
  ])('does not convert a machine with %s', (_what, changes, states) => {
    expect(toFlat(machineOf(changes, states), effects)).toBeUndefined();
  });
});

describe('createFlatRuns', () => {
  const made = (machine: AnyStateMachine, work: Effect = () => new Promise(() => {})) =>
    flatRuns(machine, {
      effects: { work },
      clock: createSimulatedClock(),
      log: silentLogger,
      observer: { effect: () => undefined },
    });

  it('allows one run per key and aborts the effect of a stopped run', async () => {
    let aborted = false;
    const runs = made(machineOf({}), (_input, signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return new Promise(() => {});
    });
    const first = runs.run('a', {}, 'pass');
    await expect(runs.run('a', {}, 'pass')).rejects.toMatchObject({ code: 'ERR_ACTOR_EXISTS' });
    expect(runs.state('a')).toBe('working');
    runs.stopAll();
    await expect(first).rejects.toMatchObject({ code: 'ERR_ACTOR_STOPPED' });
    expect([aborted, runs.state('a')]).toEqual([true, 'none']);
  });

  it('rejects with the error that a function of the machine throws', async () => {
    const machine = machineOf({
      always: {
        guard: () => {
          throw new Error('no guard');
        },
        target: 'over',
      },
    });
    await expect(made(machine).run('a', {}, 'pass')).rejects.toThrow('no guard');
  });

  it('rejects with an error that names the missing actor if a function of the machine uses it', async () => {
    const machine = machineOf({
      invoke: {
        id: 'work',
        src: 'work',
        onDone: { target: 'over', actions: assign(({ self }) => ({ self })) },
      },
    });
    await expect(made(machine, () => Promise.resolve()).run('a', {}, 'pass')).rejects.toThrow(
      'a flat machine runs without an actor: self is not available',
    );
  });
});

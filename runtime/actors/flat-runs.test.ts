import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, not, setup } from 'xstate';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { specimens } from '../../machines/specimens.fixture.ts';
import { passDelays, unprovided } from '../../machines/pass/pass.ts';
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

/** Everything a run shows. `course` chooses each effect's answer: one that it gives, an error or none at all. */
async function told(runs: Runs, machine: AnyStateMachine, answers: Answers, course: readonly number[]) {
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
    // XState says around what a guard has thrown where it stood.
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

/** All courses of three steps, and the first answers from there on. */
const courses = (width: number): readonly (readonly number[])[] => {
  const steps = Array.from({ length: width }, (_, at) => at);
  return steps.flatMap((first) =>
    steps.flatMap((second) => [0, 1, 2].map((third) => [first, second, third])),
  );
};

describe.each(specimens.map(({ machine, answers }) => [machine.id, machine, answers] as const))(
  'machine %s without actors',
  (_id, machine, answers) => {
    it('goes through the states and effects that it goes through as an actor, to the same end', async () => {
      const width = Math.max(...Object.values(answers).map(({ length }) => length)) + 2;
      const all = courses(width);
      const step = Math.max(1, Math.floor(all.length / 40));
      for (const course of all.filter((_, at) => at % step === 0))
        expect(await told(flatRuns, machine, answers, course)).toEqual(
          await told(createActorRuns, machine, answers, course),
        );
    });
  },
);

function machineOf(changes: object, states: object = {}): AnyStateMachine {
  const machine: unknown = setup({ actors: { work: unprovided('work') }, delays: passDelays }).createMachine({
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

describe('a machine is flat', () => {
  const effects = { work: () => Promise.resolve() };

  it('when its states invoke, wait and decide and do nothing else', () => {
    expect(toFlat(machineOf({ after: { effectTimeout: 'over', 10: 'over' } }), effects)).toBeDefined();
  });

  it('or is not, whichever effects it was asked about before', () => {
    const machine = machineOf({});
    expect(toFlat(machine, {})).toBeUndefined();
    expect(toFlat(machine, effects)).toBeDefined();
    expect(toFlat(machine, {})).toBeUndefined();
  });

  it.each<[string, object, object?]>([
    ['nested states', { initial: 'a', states: { a: {} } }],
    ['events heard whatever they are', { on: { '*': 'over' } }],
    ['entry actions', { entry: assign({}) }],
    ['exit actions', { exit: assign({}) }],
    [
      'actions that are no assign',
      { invoke: { src: 'work', onDone: { target: 'over', actions: () => {} } } },
    ],
    ['guards made of guards', { always: { guard: not(() => true), target: 'over' } }],
    [
      'transitions that lead nowhere where it decides at once',
      { always: { guard: () => false, target: 'over' }, on: { go: { actions: assign({}) } } },
    ],
    ['transitions to where they begin that do not leave it', { after: { 10: { target: 'working' } } }],
    ['several effects at a time', { invoke: [{ src: 'work' }, { src: 'work' }] }],
    ['an effect that nobody gives', { invoke: { src: 'other' } }],
    ['a delay that nobody has declared', { after: { someday: 'over' } }],
    ['a final state with an output', {}, { over: { type: 'final', output: 1 } }],
  ])('but not with %s', (_what, changes, states) => {
    expect(toFlat(machineOf(changes, states), effects)).toBeUndefined();
  });
});

describe('runs without actors', () => {
  const made = (machine: AnyStateMachine, work: Effect = () => new Promise(() => {})) =>
    flatRuns(machine, {
      effects: { work },
      clock: createSimulatedClock(),
      log: silentLogger,
      observer: { effect: () => undefined },
    });

  it('are one a key, and end when they are stopped, with what they have under way', async () => {
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

  it('fail with what a function of their machine throws', async () => {
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

  it('say so when a function of their machine asks for an actor', async () => {
    const machine = machineOf({
      invoke: {
        id: 'work',
        src: 'work',
        onDone: { target: 'over', actions: assign(({ self }) => ({ self })) },
      },
    });
    await expect(made(machine, () => Promise.resolve()).run('a', {}, 'pass')).rejects.toThrow(
      'a pass is no actor: its machine has no self',
    );
  });
});

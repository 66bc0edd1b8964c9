import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createActor, fromCallback, fromPromise, setup } from 'xstate';
import { type SimulatedClock, createSimulatedClock } from '../../base/clock/simulated.ts';
import { CodedError } from '../../base/errors/coded.ts';
import { type ReflectorEvent, reflectorMachine } from '../../machines/informer/reflector.ts';
import type { Effects } from './effects.ts';
import { type FlatMachine, toFlat } from './flat-machine.ts';
import { type End, FlatRun } from './flat-run.ts';
import { toXStateClock } from './xstate-clock.ts';

/** A running reflector machine and its observable state. */
interface Reflector {
  send(event: ReflectorEvent): void;
  shows(): { readonly state: unknown; readonly context: object };
}
/** Clock of one run, its recorded effects, and the functions that complete them. */
interface World {
  readonly clock: SimulatedClock;
  readonly notified: string[];
  list(signal: AbortSignal): Promise<{ readonly version: string }>;
  watch(input: unknown, send: (event: ReflectorEvent) => void, signal: AbortSignal): void;
}

const asActor = (world: World): Reflector => {
  const machine = reflectorMachine.provide({
    actors: {
      list: fromPromise(({ signal }) => world.list(signal)),
      watch: fromCallback(({ input, sendBack }) => {
        const wanted = new AbortController();
        world.watch(input, sendBack as (event: ReflectorEvent) => void, wanted.signal);
        return () => wanted.abort();
      }),
    },
  });
  const actor = createActor(machine, { input: {}, clock: toXStateClock(world.clock) }).start();
  return {
    send: (event) => actor.send(event),
    shows: () => ({ state: actor.getSnapshot().value, context: actor.getSnapshot().context }),
  };
};

const flat = (machine: AnyStateMachine, effects: Effects): FlatMachine => {
  const made = toFlat(machine, effects);
  if (made === undefined) throw new Error(`${machine.id} is not flat`);
  return made;
};
const unobserved = { effect: () => undefined };

const asFlatRun = (world: World): Reflector => {
  const effects: Effects = {
    list: (_, signal) => world.list(signal),
    watch: (input, signal) => {
      world.watch(input, (event) => !signal.aborted && run.send(event), signal);
      return new Promise(() => {});
    },
  };
  const options = { effects, clock: world.clock, observer: unobserved };
  const run = new FlatRun(flat(reflectorMachine, effects), options, undefined, () => {});
  run.start({});
  return {
    send: (event) => run.send(event),
    shows: () => ({ state: run.state.name, context: run.context }),
  };
};

type Step =
  | { readonly do: 'answer'; readonly with: string | Error }
  | { readonly do: 'bring' | 'send'; readonly event: ReflectorEvent }
  | { readonly do: 'wait'; readonly ms: number };

const events = fc.constantFrom<ReflectorEvent>(
  { type: 'stream.heard', version: '7' },
  { type: 'stream.ended', early: false },
  { type: 'stream.ended', early: true },
  { type: 'stream.expired' },
  { type: 'stream.silent' },
  { type: 'stream.opened' },
  { type: 'stream.failed', message: 'reset', unreachable: false },
  { type: 'stream.failed', message: 'no connection', unreachable: true },
);
const answers = fc.constantFrom('5', new Error('broken'), new CodedError('ERR_UNREACHABLE', 'no route'));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('answer' as const), with: answers }),
  fc.record({ do: fc.constant('bring' as const), event: events }),
  fc.record({ do: fc.constant('send' as const), event: fc.constant<ReflectorEvent>({ type: 'retry' }) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 5_000, 300_000) }),
);

/**
 * Returns everything observable of a reflector for a sequence of steps: effects, aborts and the state after
 * each step.
 */
async function course(
  make: (world: World) => Reflector,
  steps: readonly Step[],
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const notified: string[] = [];
  let answer: (with_: string | Error) => void = () => {};
  let bring: (event: ReflectorEvent) => void = () => {};
  const clock = createSimulatedClock();
  const reflector = make({
    clock,
    notified,
    list: (signal) => {
      notified.push('list');
      return new Promise((resolve, reject) => {
        const giveUp = (): number => notified.push('list given up');
        signal.addEventListener('abort', giveUp);
        answer = (given) => {
          // The signal may be reused for the next effect, so the listener is removed.
          signal.removeEventListener('abort', giveUp);
          if (typeof given === 'string') resolve({ version: given });
          else reject(given);
        };
      });
    },
    watch: (input, send, signal) => {
      notified.push(`watch ${JSON.stringify(input)}`);
      signal.addEventListener('abort', () => notified.push('watch given up'));
      bring = send;
    },
  });
  for (const each of steps) {
    if (each.do === 'answer') answer(each.with);
    else if (each.do === 'bring') bring(each.event);
    else if (each.do === 'send') reflector.send(each.event);
    await clock.advance(each.do === 'wait' ? each.ms : 0);
    seen.push({ ...reflector.shows(), notified: notified.splice(0) });
  }
  return seen;
}

describe('a flat run of the reflector', () => {
  it('has the same effects, aborts and states as an actor for random sequences of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        expect(await course(asFlatRun, steps)).toEqual(await course(asActor, steps));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a flat run', () => {
  const counting = setup({
    types: {} as { context: { count: number }; events: { type: string } },
  }).createMachine({
    id: 'counting',
    context: { count: 0 },
    initial: 'open',
    output: ({ context }) => context.count,
    states: {
      open: {
        on: {
          count: { actions: assign({ count: ({ context }) => context.count + 1 }) },
          fail: {
            actions: assign(() => {
              throw new Error('no more');
            }),
          },
          close: 'closed',
        },
        after: { 1_000: 'closed' },
      },
      closed: { type: 'final' },
    },
  });
  const made = (entered: (run: FlatRun<undefined>, state: string) => void = () => {}) => {
    const clock = createSimulatedClock();
    const ends: End[] = [];
    const observer = { ...unobserved, entered: (_: undefined, state: string) => entered(run, state) };
    const run: FlatRun<undefined> = new FlatRun(
      flat(counting as unknown as AnyStateMachine, {}),
      { effects: {}, clock, observer, waits: { 1000: (ms) => ms * 2 } },
      undefined,
      (end) => ends.push(end),
    );
    const send = (...types: readonly string[]): void => types.forEach((type) => run.send({ type }));
    return { run, clock, ends, send };
  };

  it('handles an event of its current state and ignores events after its end', () => {
    const { run, ends, send } = made();
    run.start({});
    send('count', 'unhandled', 'count', 'close', 'count');
    expect(ends).toEqual([{ output: 2 }]);
    expect(run.context).toEqual({ count: 2 });
  });

  it('handles an event sent during a step once the step is complete', () => {
    const { run, ends } = made((self, state) => {
      if (state === 'open') ['count', 'close'].forEach((type) => self.send({ type }));
    });
    run.start({});
    expect(ends).toEqual([{ output: 1 }]);
  });

  it('starts no further effect after an observer has stopped it', async () => {
    const why = new Error('stopped');
    const { run, clock, ends } = made((self) => self.stop(why));
    run.start({});
    expect([ends, clock.pending]).toEqual([[{ error: why }], 0]);
    await clock.advance(2_000);
    expect(ends).toEqual([{ error: why }]);
  });

  it('waits for the delay that `waits` returns', async () => {
    const { run, clock, ends } = made();
    run.start({});
    await clock.advance(1_999);
    expect(ends).toEqual([]);
    await clock.advance(1);
    expect(ends).toEqual([{ output: 0 }]);
  });

  it("ends with the error of a machine's function, or with the reason of a stop", () => {
    const [first, second] = [made(), made()];
    first.run.start({});
    first.send('fail');
    const why = new Error('stopped');
    second.run.start({});
    second.run.stop(why);
    second.run.stop(new Error('again'));
    expect([first.ends, second.ends]).toEqual([[{ error: new Error('no more') }], [{ error: why }]]);
  });
});

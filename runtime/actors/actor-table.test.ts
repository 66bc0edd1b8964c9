import { describe, expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { ActorTable } from './actor-table.ts';
import { toActors } from './effects.ts';

const waiter = setup({ delays: { nap: 1_000 } }).createMachine({
  id: 'waiter',
  initial: 'waiting',
  output: { slept: true },
  states: { waiting: { after: { nap: 'awake' } }, awake: { type: 'final' } },
});

function table() {
  const clock = createSimulatedClock();
  return { clock, actors: new ActorTable({ clock, log: silentLogger }) };
}

describe('ActorTable', () => {
  it('runs delayed transitions on the given clock', async () => {
    const { clock, actors } = table();
    let output: unknown;
    void actors.run('a', waiter, undefined).then((value) => (output = value));
    await clock.advance(999);
    expect(output).toBeUndefined();
    await clock.advance(1);
    expect(output).toEqual({ slept: true });
    expect(actors.size).toBe(0);
  });

  it('rejects a second actor of the same key', () => {
    const { actors } = table();
    actors.start('a', waiter, undefined);
    expect(() => actors.start('a', waiter, undefined)).toThrow('actor a already exists');
  });

  it('rejects the run of a stopped actor and aborts its effect', async () => {
    const { actors, clock } = table();
    let aborted = false;
    const logic = fromPromise(
      ({ signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
    );
    const run = actors.run('a', logic, undefined);
    const ended = expect(run).rejects.toMatchObject({ code: 'ERR_ACTOR_STOPPED' });
    await clock.advance(0);
    actors.stop('a');
    await ended;
    expect(aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('survives an actor that throws without an error observer', async () => {
    const { actors, clock } = table();
    actors.start(
      'a',
      fromPromise(() => Promise.reject(new Error('unobserved'))),
      undefined,
    );
    await clock.advance(0);
    expect(actors.size).toBe(0);
  });

  it('starts and stops 4,000 actors', () => {
    const { actors } = table();
    for (let i = 0; i < 4_000; i++) actors.start(`object-${i}`, waiter, undefined);
    expect(actors.size).toBe(4_000);
    actors.stopAll();
    expect(actors.size).toBe(0);
  });
});

describe('toActors', () => {
  it('passes the input to the effect, the result to the machine and the outcome to the tap', async () => {
    const { actors } = table();
    const ends: unknown[] = [];
    const logic = toActors(
      {
        double: async ({ n }: { readonly n: number }) => n * 2,
        refuse: () => Promise.reject(new Error('no')),
      },
      (_system, name) => (thrown) => ends.push([name, thrown]),
    );
    await expect(actors.run('a', logic['double'] as never, { n: 4 } as never)).resolves.toBe(8);
    await expect(actors.run('b', logic['refuse'] as never, undefined as never)).rejects.toThrow('no');
    expect(ends).toEqual([
      ['double', undefined],
      ['refuse', new Error('no')],
    ]);
  });
});

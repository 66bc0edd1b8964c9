import { describe, expect, it } from 'vitest';
import { type AnyMachineSnapshot, getInitialSnapshot, getNextSnapshot } from 'xstate';
import { ABSENT, DELETED, lifecycles, originsOf, transitionOf } from '../../api/lifecycles/index.ts';
import { lifecycleMachines, machineOf } from './index.ts';

describe.each(lifecycles.map((lifecycle) => [lifecycle.id, lifecycle] as const))(
  'the machine of the lifecycle %s',
  (id, lifecycle) => {
    const machine = machineOf(lifecycle);
    const inState = (state: string): AnyMachineSnapshot =>
      machine.resolveState({ value: state, context: {} }) as AnyMachineSnapshot;
    const actors = [...new Set(lifecycle.transitions.flatMap(({ by }) => by)), 'nobody'].filter(
      (actor) => actor !== 'any client',
    );

    it('starts in absent, has the states of the lifecycle, and ends in deleted', () => {
      expect(machine.id).toBe(`lifecycle-${id}`);
      expect((getInitialSnapshot(machine) as AnyMachineSnapshot).value).toBe(ABSENT);
      expect(Object.keys(machine.states)).toEqual([ABSENT, ...Object.keys(lifecycle.states), DELETED]);
      expect(inState(DELETED).status).toBe('done');
    });

    it('takes exactly the transitions of the lifecycle', () => {
      for (const state of [ABSENT, ...Object.keys(lifecycle.states)])
        for (const to of [...Object.keys(lifecycle.states), DELETED].filter((each) => each !== state))
          for (const by of actors) {
            const moves = lifecycle.transitions.some(
              ({ reason }) => getNextSnapshot(machine, inState(state), { type: reason, by, to }).value === to,
            );
            const isDeclared = lifecycle.transitions.some(
              (each) =>
                each.to === to &&
                originsOf(lifecycle, each).includes(state) &&
                (each.by.includes(by) || each.by.includes('any client')),
            );
            expect([state, to, by, moves]).toEqual([state, to, by, isDeclared]);
            if (moves) expect(transitionOf(lifecycle, state, to, by)).toBeDefined();
          }
    });
  },
);

describe('lifecycleMachines', () => {
  it('returns one machine for each lifecycle, made once', () => {
    expect(lifecycleMachines().map(({ id }) => id)).toEqual(lifecycles.map(({ id }) => `lifecycle-${id}`));
    expect(lifecycleMachines()).toEqual(lifecycleMachines());
  });
});

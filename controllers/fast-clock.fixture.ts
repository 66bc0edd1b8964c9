import type { ControllerDefinition } from '../runtime/index.ts';

/** The controller with a wall clock, and a notion of the server's, that run ahead of everybody else's. */
export const withFastClock = (definition: ControllerDefinition, aheadMs: number): ControllerDefinition => ({
  ...definition,
  effects(context) {
    const { clock, client } = context;
    const { serverClock } = client;
    return definition.effects({
      ...context,
      clock: { ...clock, now: () => clock.now() + aheadMs },
      client: { ...client, serverClock: { now: () => serverClock.now() + aheadMs } },
    });
  },
});

/** The controller on a machine whose wall clock is wrong, and whose server says what time it is. */
export const withWrongClock = (definition: ControllerDefinition, aheadMs: number): ControllerDefinition => ({
  ...definition,
  effects: (context) =>
    definition.effects({
      ...context,
      clock: { ...context.clock, now: () => context.clock.now() + aheadMs },
    }),
});

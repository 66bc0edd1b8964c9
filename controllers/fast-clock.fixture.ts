import type { ControllerDefinition } from '../runtime/index.ts';

/** Returns the controller with a wall clock and an estimate of the server's clock that both run `aheadMs` ahead. */
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

/** Returns the controller with a wall clock that runs `aheadMs` ahead, and a correct estimate of the server's clock. */
export const withWrongClock = (definition: ControllerDefinition, aheadMs: number): ControllerDefinition => ({
  ...definition,
  effects: (context) =>
    definition.effects({
      ...context,
      clock: { ...context.clock, now: () => context.clock.now() + aheadMs },
    }),
});

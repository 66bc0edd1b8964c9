import { secrets } from '../../api/groups/core-v1.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';

type Context = Parameters<ControllerDefinition['effects']>[0];

/** Additional code that runs with the key before each reconcile. */
export type Look = (key: string) => void;

/**
 * Wraps a controller so that additional code runs before each reconcile. `start` creates this code once for
 * each process.
 */
export const looking = (
  definition: ControllerDefinition,
  start: (context: Context) => Look,
): ControllerDefinition => ({
  ...definition,
  effects: async (context) => {
    const look = start(context);
    const effects = await definition.effects(context);
    return {
      ...effects,
      observe: (input: never, signal) => {
        look((input as { readonly key: string }).key);
        return effects['observe']?.(input, signal) ?? Promise.resolve(null);
      },
    };
  },
});

/** Wraps a controller so that it lists all Secrets of its cache before each reconcile. */
export const listing = (definition: ControllerDefinition): ControllerDefinition =>
  looking(definition, ({ informers }) => () => {
    informers.of(secrets).store.list();
  });

import { secrets } from '../../api/groups/core-v1.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';

type Context = Parameters<ControllerDefinition['effects']>[0];

/** Does something of its own before each pass, of the key that the pass is of. */
export type Look = (key: string) => void;

/** The same controller, which looks at something more before each pass; `start` is called anew in each of its lives. */
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

/** The same controller, which before each pass reads all Secrets that its cache holds. */
export const listing = (definition: ControllerDefinition): ControllerDefinition =>
  looking(definition, ({ informers }) => () => {
    informers.of(secrets).store.list();
  });

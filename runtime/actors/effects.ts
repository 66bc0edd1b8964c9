import { fromPromise, type ActorSystem, type PromiseActorLogic } from 'xstate';

/**
 * One effect of a machine. It receives its input and a signal that aborts when the result is no longer
 * needed.
 */
export type Effect = (input: never, signal: AbortSignal) => Promise<unknown>;
/** Effects by the name of the actor in the machine's `setup`. */
export type Effects = { readonly [actor: string]: Effect };

/**
 * Observer of effects, called at the start of each effect. The function that it returns is called at the end
 * of the effect, with the error or with `undefined` for success.
 */
export type EffectTap = (
  system: ActorSystem<never>,
  name: string,
  signal: AbortSignal,
) => ((thrown: unknown) => void) | undefined;

/** Promise logic of one effect. */
export type EffectActor = PromiseActorLogic<unknown, unknown>;

/** Converts effects to promise logic, for `machine.provide({ actors })`. */
export function toActors(effects: Effects, tap?: EffectTap): { [actor: string]: EffectActor } {
  return Object.fromEntries(
    Object.entries(effects).map(([name, effect]) => [name, toActor(name, effect, tap)]),
  );
}

const toActor = (name: string, effect: Effect, tap: EffectTap | undefined): EffectActor =>
  fromPromise<unknown, unknown>(({ input, signal, system }) =>
    runEffect(name, effect, input, signal, () =>
      tap?.(system as unknown as ActorSystem<never>, name, signal),
    ),
  );

/**
 * Runs an effect. Calls `begin` first, which throws if the effect may not run. Calls the function that
 * `begin` returns with the effect's error, or with `undefined` for success.
 */
export async function runEffect(
  name: string,
  effect: Effect,
  input: unknown,
  signal: AbortSignal,
  begin: () => ((thrown: unknown) => void) | undefined,
): Promise<unknown> {
  const ended = begin();
  try {
    const output = await effect(input as never, signal);
    ended?.(undefined);
    return output;
  } catch (thrown) {
    ended?.(thrown ?? new Error(`effect ${name} rejected without a reason`));
    throw thrown;
  }
}

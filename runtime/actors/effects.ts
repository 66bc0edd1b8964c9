import { fromPromise, type ActorSystem, type PromiseActorLogic } from 'xstate';

/** One effect: gets the machine's input for it and a signal that aborts when its answer is no longer wanted. */
export type Effect = (input: never, signal: AbortSignal) => Promise<unknown>;
export type Effects = { readonly [actor: string]: Effect };

/** Told when an effect starts; what it returns, if anything, is told how the effect ended, `undefined` for success. */
export type EffectTap = (
  system: ActorSystem<never>,
  name: string,
  signal: AbortSignal,
) => ((thrown: unknown) => void) | undefined;

export type EffectActor = PromiseActorLogic<unknown, unknown>;

/** Each effect as promise logic of its name, for `machine.provide({ actors })`. */
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

/** Runs an effect; `begin` is asked first, throws when it may not run, and what it gives is told how it ended. */
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

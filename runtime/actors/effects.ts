import { fromPromise, type ActorSystem, type PromiseActorLogic } from 'xstate';

/** One effect: gets the machine's input for it and a signal that aborts when its answer is no longer wanted. */
export type Effect = (input: never, signal: AbortSignal) => Promise<unknown>;
export type Effects = { readonly [actor: string]: Effect };

/** Told when an effect starts; what it returns is told how the effect ended, `undefined` for success. */
export type EffectTap = (
  system: ActorSystem<never>,
  name: string,
  signal: AbortSignal,
) => (thrown: unknown) => void;

export type EffectActor = PromiseActorLogic<unknown, unknown>;

/** Each effect as promise logic of its name, for `machine.provide({ actors })`. */
export function toActors(effects: Effects, tap?: EffectTap): { [actor: string]: EffectActor } {
  return Object.fromEntries(
    Object.entries(effects).map(([name, effect]) => [name, toActor(name, effect, tap)]),
  );
}

function toActor(name: string, effect: Effect, tap: EffectTap | undefined): EffectActor {
  return fromPromise<unknown, unknown>(async ({ input, signal, system }) => {
    const ended = tap?.(system as unknown as ActorSystem<never>, name, signal);
    try {
      const output = await effect(input as never, signal);
      ended?.(undefined);
      return output;
    } catch (thrown) {
      ended?.(thrown ?? new Error(`effect ${name} rejected without a reason`));
      throw thrown;
    }
  });
}

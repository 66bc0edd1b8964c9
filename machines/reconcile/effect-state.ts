/** Part of the result of XState's `setup` that contains the types of the states. */
interface StateSetup {
  createStateConfig(config: never): unknown;
}

/** Configuration of a state in a machine of the setup. */
type StateOf<Setup extends StateSetup> = Parameters<Setup['createStateConfig']>[0];

/** Invocation of one actor of the setup, with its input and results. */
type InvokeOf<Setup extends StateSetup> =
  StateOf<Setup> extends { readonly invoke?: infer Invoke }
    ? Exclude<Invoke, readonly unknown[] | undefined>
    : never;

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** Effect that a state runs. `id` is `src` by default. */
export type Effect<Setup extends StateSetup> = DistributiveOmit<InvokeOf<Setup>, 'onError'>;

/** Transition to the final state `failed`; the action `fail` records the error. */
const failure = { target: 'failed', actions: 'fail' } as const;

/**
 * Returns the configuration of a state that runs one effect. An effect that rejects or times out ends the
 * reconcile as failed, so the machine needs the final state `failed` and the action `fail`.
 * @param timeout name of the delay that limits the effect
 */
export const effectState = <Invoke extends { readonly src: string }>(
  effect: Invoke,
  timeout = 'effectTimeout',
) => ({
  invoke: { id: effect.src, ...effect, onError: failure },
  after: { [timeout]: failure },
});

/**
 * Returns `effectState` with the types of a setup: source, input, results, guards and actions are checked as
 * in `createMachine`.
 *
 *     const machineSetup = setup({ actors, guards, actions, delays: reconcileDelays });
 *     const effectState = effectStates(machineSetup);
 *     machineSetup.createMachine({
 *       states: {
 *         observing: effectState({ src: 'observe', input: ({ context }) => ({ key: context.key }), onDone: 'deciding' }),
 *         …
 */
export const effectStates =
  <Setup extends StateSetup>(_setup: Setup) =>
  (effect: Effect<Setup> & { readonly src: string }, timeout?: string) =>
    effectState(effect, timeout) as Pick<StateOf<Setup>, 'invoke' | 'after'>;

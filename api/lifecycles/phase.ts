/** Returns the phase of a status if it is one of the states. */
export const phaseIn = <S extends string>(
  states: { readonly [state in S]: string },
  phase: string | undefined,
): S | undefined =>
  // The cast is safe: the keys of `states` are the states.
  phase !== undefined && Object.hasOwn(states, phase) ? (phase as S) : undefined;

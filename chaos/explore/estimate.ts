/** Limits of one exploration. */
export interface Bounds {
  readonly controller: string;
  readonly objects: number;
  readonly faults: number;
  readonly lag: number;
  readonly leaders: number;
}

/** Size of a search: number of states, duration, and number of characters of the parts that states share. */
export interface Size {
  readonly states: number;
  readonly ms: number;
  readonly characters: number;
}

/** Smaller searches from which the size of a search with faults is extrapolated. */
export interface Smaller {
  /** The search without faults. */
  readonly calm: Bounds;
  /**
   * Two searches with one leader, one without faults (possibly `calm`) and one with one fault. The ratio of
   * their sizes is the effect of a fault.
   */
  readonly unstruck: Bounds;
  readonly struck: Bounds;
}

/**
 * Returns the smaller searches. Undefined if there are none: for a search without faults, and for one fault
 * with one leader and lag 0.
 */
export function smallerThan(bounds: Bounds): Smaller | undefined {
  const { faults, leaders, lag } = bounds;
  if (faults === 0) return undefined;
  const calm = { ...bounds, faults: 0 };
  if (leaders > 1) return withStruck(calm, { ...calm, leaders: 1 });
  if (faults > 1) return withStruck(calm, calm);
  // A sample with one fault would be as large as the search itself, so a smaller lag is used.
  return lag > 0 ? withStruck(calm, { ...calm, lag: lag - 1 }) : undefined;
}

const withStruck = (calm: Bounds, unstruck: Bounds): Smaller => ({
  calm,
  unstruck,
  struck: { ...unstruck, faults: 1 },
});

/**
 * Extrapolates the size of a search.
 *
 * Assumes that a fault can occur at `places` points for each leader and that as many states follow as without
 * a fault. The order of faults makes no difference. The duration is proportional to the number of states.
 */
export function estimate(
  { leaders, faults }: Pick<Bounds, 'leaders' | 'faults'>,
  { calm, unstruck, struck }: { readonly [search in keyof Smaller]: Size },
): Size {
  const places = leaders * Math.max(0, struck.states / unstruck.states - 1);
  let growth = 1;
  for (let struckSoFar = 1, ways = 1; struckSoFar <= faults; struckSoFar++) {
    ways *= places / struckSoFar;
    growth += ways;
  }
  const states = Math.round(calm.states * growth);
  // The larger of the known searches determines the time for each state, because in a small search most time
  // passes in first executions of effects.
  const known = calm.states > struck.states ? calm : struck;
  const scale = states / known.states;
  return { states, ms: known.ms * scale, characters: known.characters * scale };
}

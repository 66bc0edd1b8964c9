import type { Bounds } from './describe.ts';

/** Of a search: how many states it has, how long it takes, and what the parts that states share are written with. */
export interface Size {
  readonly states: number;
  readonly ms: number;
  readonly characters: number;
}

/** The searches that tell ahead what one with faults takes. */
export interface Smaller {
  /** The search itself, without a fault. */
  readonly calm: Bounds;
  /** One with one leader and no fault, and the same with one: what a fault does is between them. The first may be `calm`. */
  readonly unstruck: Bounds;
  readonly struck: Bounds;
}

/** Undefined where nothing smaller tells: without faults, and with one where there is one leader and no lag. */
export function smallerThan(bounds: Bounds): Smaller | undefined {
  const { faults, leaders, lag } = bounds;
  if (faults === 0) return undefined;
  const calm = { ...bounds, faults: 0 };
  if (leaders > 1) return withStruck(calm, { ...calm, leaders: 1 });
  if (faults > 1) return withStruck(calm, calm);
  // The search itself is the one with a fault: what one does shows where informers are less behind.
  return lag > 0 ? withStruck(calm, { ...calm, lag: lag - 1 }) : undefined;
}

const withStruck = (calm: Bounds, unstruck: Bounds): Smaller => ({
  calm,
  unstruck,
  struck: { ...unstruck, faults: 1 },
});

/**
 * A fault strikes in one of `places` of each leader, and leaves as many states behind as there were without it; several strike
 * in whatever places, and which was the first makes no difference where the next may strike too. Time goes by states.
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
  // The larger of what is known tells how long a state takes: in a small one it is learned what effects do.
  const known = calm.states > struck.states ? calm : struck;
  const scale = states / known.states;
  return { states, ms: known.ms * scale, characters: known.characters * scale };
}

import type { Weights } from '../workload/draw.ts';
import type { Observed } from './observe.ts';

/** Contribution of one seed to the weights of features. */
export interface WeighedSeed {
  /** Features of the seed's workload. */
  readonly features: readonly string[];
  /** Premises of invariants that the seed reached. */
  readonly premises: readonly string[];
  readonly observed: Observed;
}

/** Sum of the coverage of seeds, which are added in any order. */
export interface WeightSum {
  add(seed: WeighedSeed): void;
  weights(): Weights;
}

/** Maximum share of the seeds that cover a rare part. */
const RARE_SHARE = 0.05;
/** Minimum number of seeds with a feature that make its weight reliable. */
const KNOWN_SEEDS = 10;
const MAX_WEIGHT = 4;

/**
 * Creates an empty sum.
 *
 * A part is the premise of an invariant, a transition of a machine, or a fault in a state. A rare part has
 * the worth 1 divided by the number of seeds that covered it. The weight of a feature is the mean worth of
 * its seeds, relative to that of all seeds, rounded and limited to 1 to 4. A feature of fewer than 10 seeds
 * has the weight 1.
 */
export function createWeightSum(): WeightSum {
  const seeds: { readonly features: readonly string[]; readonly parts: readonly string[] }[] = [];
  return {
    add({ features, premises, observed: { transitions, strikes } }) {
      const parts = [...premises, ...Object.keys(transitions), ...Object.keys(strikes)];
      seeds.push({ features, parts });
    },
    weights() {
      const covered = countEach(seeds.map(({ parts }) => parts));
      const isRare = (part: string): boolean => (covered.get(part) ?? 0) <= seeds.length * RARE_SHARE;
      const worth = seeds.map(({ parts }) =>
        sum(parts.filter(isRare).map((part) => 1 / (covered.get(part) ?? 1))),
      );
      const usual = sum(worth) / seeds.length;
      const features = countEach(seeds.map((seed) => seed.features));
      const gained = new Map<string, number>();
      for (const [at, seed] of seeds.entries())
        for (const feature of seed.features)
          gained.set(feature, (gained.get(feature) ?? 0) + (worth[at] ?? 0));
      const weightOf = (feature: string, count: number): number =>
        count < KNOWN_SEEDS
          ? 1
          : Math.min(MAX_WEIGHT, Math.round((gained.get(feature) ?? 0) / count / usual));
      return Object.fromEntries(
        [...features]
          .map(([feature, count]): [string, number] => [feature, weightOf(feature, count)])
          .filter(([, weight]) => weight > 1)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      );
    },
  };
}

/** Formats weights as the source of the module that workloads import. */
export const describeWeights = (weights: Weights): string =>
  [
    '/** Weights recorded by `orch chaos run --weights`, which writes this file. */',
    'export const weights: Readonly<Record<string, number>> = {',
    ...Object.entries(weights).map(([feature, weight]) => `  ${quoted(feature)}: ${weight},`),
    '};',
    '',
  ].join('\n');

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function countEach(lists: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const list of lists) for (const name of new Set(list)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

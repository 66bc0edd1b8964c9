import type { Random } from '../../base/random/index.ts';
import { weights as recordedWeights } from './weights.ts';

/** Weights of options by feature, such as `batch/jobs move=undo`; 1 if the feature is not listed. */
export type Weights = Readonly<Record<string, number>>;

/**
 * Named random choices of a workload.
 *
 * A choice and its option form a feature, such as `batch/jobs spec.suspend=true`. Features that lead to rare
 * states have higher weights, so that seeds choose them more often.
 */
export interface Draw {
  /** Returns one of the options. An option listed several times is that many times as likely. */
  one<T>(choice: string, options: readonly T[]): T;
  /** True once in `times`. */
  once(choice: string, times: number): boolean;
  /** Features chosen so far. */
  readonly features: ReadonlySet<string>;
}

/** Creates choices from a random source; `weights` default to the recorded ones. */
export function createDraw(random: Random, weights: Weights = recordedWeights): Draw {
  const features = new Set<string>();
  const note = (feature: string): void => void features.add(feature);
  const weightOf = (feature: string): number => weights[feature] ?? 1;
  return {
    features,
    one(choice, options) {
      const names = options.map((option) => `${choice}=${nameOf(option)}`);
      const total = names.reduce((sum, name) => sum + weightOf(name), 0);
      let left = random.int(total);
      const at = names.findIndex((name) => (left -= weightOf(name)) < 0);
      note(names[at] ?? choice);
      return options[at] as (typeof options)[number];
    },
    once(choice, times) {
      const weight = weightOf(choice);
      const isChosen = random.int(times - 1 + weight) < weight;
      if (isChosen) note(choice);
      return isChosen;
    },
  };
}

/** Maximum length of an option's name. */
const NAME_LENGTH = 60;

const nameOf = (option: unknown): string =>
  (typeof option === 'string' ? option : JSON.stringify(option ?? null)).slice(0, NAME_LENGTH);

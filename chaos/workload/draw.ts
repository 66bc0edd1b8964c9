import type { Random } from '../../base/random/index.ts';
import { weights as recordedWeights } from './weights.ts';

/** Weights of options by feature, such as `batch/jobs move=undo`; 1 if the feature is not listed. */
export type Weights = Readonly<Record<string, number>>;

/**
 * Named random choices of a workload.
 *
 * A choice and its option form a feature, such as `batch/jobs spec.suspend=true`. Features that lead to rare
 * states have higher weights, so seeds choose them more often.
 */
export interface Draw {
  /** Returns one of the options. An option that is listed n times is n times as likely. */
  one<T>(choice: string, options: readonly T[]): T;
  /** True with a probability of 1 in `times`, unless the choice has weights. */
  once(choice: string, times: number): boolean;
  /** Features that were chosen so far. */
  readonly features: ReadonlySet<string>;
}

/** Creates choices from a random source; `weights` default to the recorded ones. */
export function createDraw(random: Random, weights: Weights = recordedWeights): Draw {
  const features = new Set<string>();
  const weighted = weights === recordedWeights ? recordedChoices : choicesIn(weights);
  const weightOf = (choice: string, option: unknown): number => weights[featureOf(choice, option)] ?? 1;
  const indexOf = (choice: string, options: readonly unknown[]): number => {
    // Most choices have no weights, and naming an option is slower than choosing one.
    if (!weighted.has(choice)) return random.int(options.length);
    const each = options.map((option) => weightOf(choice, option));
    let left = random.int(each.reduce((sum, weight) => sum + weight, 0));
    return each.findIndex((weight) => (left -= weight) < 0);
  };
  return {
    features,
    one<T>(choice: string, options: readonly T[]): T {
      const option = options[indexOf(choice, options)] as T;
      features.add(featureOf(choice, option));
      return option;
    },
    once(choice, times) {
      const weight = weightOf(choice, true);
      const isChosen = random.int(times - 1 + weight) < weight;
      if (isChosen) features.add(featureOf(choice, true));
      return isChosen;
    },
  };
}

const choicesIn = (weights: Weights): ReadonlySet<string> =>
  new Set(Object.keys(weights).map((feature) => feature.slice(0, feature.indexOf('='))));
const recordedChoices = choicesIn(recordedWeights);

const featureOf = (choice: string, option: unknown): string => `${choice}=${nameOf(option)}`;

/** Maximum length of an option's name in characters. */
const NAME_LENGTH = 60;

const nameOf = (option: unknown): string =>
  (typeof option === 'string' ? option : JSON.stringify(option ?? null)).slice(0, NAME_LENGTH);

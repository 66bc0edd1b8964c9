import type { SourceFate } from './hunt-source.ts';

/** Combined result of a mutant in unit tests and in chaos runs. */
export type Standing = 'chaos' | 'tests' | 'survived' | 'same' | 'not reached';

/**
 * Returns the combined result of a mutant. `tests` means that only unit tests caught the mutant. `same` means
 * that the mutant behaved identically in every run that reached it. It is then probably equivalent, and is
 * not counted.
 */
export function standingOf({ tests, chaos }: SourceFate): Standing {
  if (chaos.verdict === 'caught') return 'chaos';
  if (tests?.verdict === 'caught') return 'tests';
  if (chaos.verdict === 'survived') return 'survived';
  if (chaos.verdict === 'same') return 'same';
  return tests?.verdict === 'passed' ? 'survived' : 'not reached';
}

/** Number of mutants by combined result. */
export interface Score {
  readonly all: number;
  readonly chaos: number;
  readonly tests: number;
  readonly survived: number;
  readonly same: number;
  readonly notReached: number;
  /**
   * Number of mutants that chaos caught and unit tests missed. If unit tests were not run, the number of all
   * that chaos caught.
   */
  readonly chaosAlone: number;
  /** Number of mutants that chaos could have caught: a run reached them, and they are not equivalent. */
  readonly reachedByChaos: number;
}

/** Counts mutants by combined result. */
export function scoreSource(fates: readonly SourceFate[]): Score {
  const count = (standing: Standing): number => fates.filter((each) => standingOf(each) === standing).length;
  return {
    all: fates.length,
    chaos: count('chaos'),
    tests: count('tests'),
    survived: count('survived'),
    same: count('same'),
    notReached: count('not reached'),
    chaosAlone: fates.filter((each) => standingOf(each) === 'chaos' && each.tests?.verdict !== 'caught')
      .length,
    reachedByChaos: fates.filter(({ chaos, tests }) => wasReachable(chaos.verdict, tests?.verdict)).length,
  };
}

/** True if a run reached the mutant and no run suggests that the mutant is equivalent. */
const wasReachable = (chaos: SourceFate['chaos']['verdict'], tests: string | undefined): boolean =>
  chaos === 'caught' || chaos === 'survived' || (chaos === 'same' && tests === 'caught');

/** Layers in the order in which mistakes in them spread farthest. */
const LAYERS = ['runtime', 'base', 'machines', 'controllers'];

/**
 * Orders survivors by risk: by operator, then by layer, then by the number of runs and tests that reached
 * them.
 */
export const riskiestFirst = (a: SourceFate, b: SourceFate): number =>
  b.mutant.risk - a.mutant.risk ||
  layerOf(a) - layerOf(b) ||
  reachOf(b) - reachOf(a) ||
  (a.mutant.name < b.mutant.name ? -1 : 1);

const layerOf = ({ mutant: { file } }: SourceFate): number => LAYERS.indexOf(file.split('/')[0] ?? '');
const reachOf = ({ tests, chaos }: SourceFate): number => chaos.tried + (tests?.tests ?? 0);

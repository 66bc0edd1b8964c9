import type { SourceFate } from './hunt-source.ts';

/** Result of a mutant in unit tests and under chaos together. */
export type Standing = 'chaos' | 'tests' | 'survived' | 'same' | 'not reached';

/**
 * Returns the standing of a mutant. One that only chaos missed is `tests`. One that behaves identically in
 * every run that reaches it is `same`: probably equivalent, and not counted.
 */
export function standingOf({ tests, chaos }: SourceFate): Standing {
  if (chaos.verdict === 'caught') return 'chaos';
  if (tests?.verdict === 'caught') return 'tests';
  if (chaos.verdict === 'survived') return 'survived';
  if (chaos.verdict === 'same') return 'same';
  return tests?.verdict === 'passed' ? 'survived' : 'not reached';
}

/** Numbers of mutants by standing. */
export interface Score {
  readonly all: number;
  readonly chaos: number;
  readonly tests: number;
  readonly survived: number;
  readonly same: number;
  readonly notReached: number;
  /** Mutants that chaos caught and no unit test did; all that it caught if unit tests were not run. */
  readonly chaosAlone: number;
  /** Mutants that chaos could have caught: reached by a run, and different in at least one or caught. */
  readonly reachedByChaos: number;
}

/** Counts mutants by standing. */
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

/** True for a mutant that some run reached and that is not equivalent as far as is known. */
const wasReachable = (chaos: SourceFate['chaos']['verdict'], tests: string | undefined): boolean =>
  chaos === 'caught' || chaos === 'survived' || (chaos === 'same' && tests === 'caught');

/** Layers by how far a mistake in them spreads, the farthest first. */
const LAYERS = ['runtime', 'base', 'machines', 'controllers'];

/** Orders survivors by risk: operator, layer, and how many runs and tests reached them. */
export const riskiestFirst = (a: SourceFate, b: SourceFate): number =>
  b.mutant.risk - a.mutant.risk ||
  layerOf(a) - layerOf(b) ||
  reachOf(b) - reachOf(a) ||
  (a.mutant.name < b.mutant.name ? -1 : 1);

const layerOf = ({ mutant: { file } }: SourceFate): number => LAYERS.indexOf(file.split('/')[0] ?? '');
const reachOf = ({ tests, chaos }: SourceFate): number => chaos.tried + (tests?.tests ?? 0);

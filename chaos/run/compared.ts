import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { compareRuns } from '../oracles/differential/compare.ts';
import { type DifferenceId, comparisonRules } from '../oracles/differential/rules.ts';
import type { Strike } from '../world/faults.ts';
import type { Failure, Tally } from './judge.ts';

/** Result of comparing a run with the same run without faults. */
export interface Compared {
  readonly broken?: Pick<Failure, 'id' | 'says' | 'broken'>;
  readonly tallies: readonly Tally[];
}

/**
 * Compares the history of a run with that of the same run without faults. @param startMs wall time of the
 * run's start
 */
export function compareWithCalm(
  calm: readonly Commit[],
  commits: readonly Commit[],
  strikes: readonly Strike[],
  startMs: number,
  { namespaces }: Vocabulary,
): Compared {
  const struck = strikes.map(({ name, atMs }) => ({ name, atMs: startMs + atMs }));
  const { differences, compared } = compareRuns(calm, commits, struck, [
    namespaces.system,
    namespaces.public,
  ]);
  const tallyOf = (kind: DifferenceId): Tally => ({
    ...comparisonRules[kind],
    checked: compared[kind],
    reached: compared[kind],
    broken: differences.filter(({ id }) => id === kind).length,
  });
  const first = differences[0];
  return {
    ...(first && { broken: { ...comparisonRules[first.id], broken: first.broken } }),
    tallies: (Object.keys(comparisonRules) as DifferenceId[]).map(tallyOf),
  };
}

import { lengthOf } from '../explore/trace.ts';
import type { Check } from '../report/checks.ts';
import type { Mutant, SievePattern } from './mutant.ts';
import type { Hunt } from './hunt.ts';

/** A mutant with the result of its hunt. */
export interface HuntedMutant {
  readonly mutant: Mutant;
  readonly hunt: Hunt;
}

const patterns: readonly SievePattern[] = ['intermediate', 'stale', 'unobserved', 'indirect'];

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function fate({ mutant, hunt }: HuntedMutant): string {
  const { verdict, findings, ms } = hunt;
  const last = findings.at(-1)?.exploration;
  if (last?.verdict === 'fail')
    return `caught by ${last.violation.invariant} in ${lengthOf(last.trace)} steps, ${(ms / 1000).toFixed(2)} s: ${last.violation.how}`;
  if (verdict === 'same') return 'the same as the controller, state for state';
  if (mutant.harmless !== undefined) return `harmless: ${mutant.harmless}`;
  return verdict === 'unknown' ? 'UNKNOWN, a bound was reached' : 'SURVIVED';
}

/**
 * Returns the result of a mutant as a check. A caught mutant has passed. A mutant that behaves like its
 * controller is untested.
 */
export const mutantCheck = (hunted: HuntedMutant): Check => {
  const { mutant, hunt } = hunted;
  const uncaught = hunt.verdict === 'unknown' ? 'unknown' : 'failed';
  return {
    group: mutant.controller,
    name: mutant.name,
    says: `is caught: ${mutant.says}`,
    outcome: hunt.verdict === 'caught' ? 'passed' : isObservable(hunted) ? uncaught : 'untested',
    message: fate(hunted),
  };
};

/** True if the mutant's defect is observable and harmful. */
const isObservable = ({ mutant, hunt }: HuntedMutant): boolean =>
  hunt.verdict === 'caught' || (hunt.verdict !== 'same' && mutant.harmless === undefined);

/** Formats a mutant's line in the table of mutants. */
export const describeMutant = (hunted: HuntedMutant): string =>
  `${hunted.mutant.name.padEnd(52)} ${hunted.mutant.pattern.padEnd(13)} ${fate(hunted)}\n`;

export interface MutationScore {
  readonly caught: number;
  /** Number of mutants that differ observably from their controller. */
  readonly telling: number;
  readonly medianMs: number;
  readonly byPattern: { readonly [P in SievePattern]: { readonly caught: number; readonly telling: number } };
}

/** Counts the caught mutants and the observable ones. */
export function scoreOf(all: readonly HuntedMutant[]): MutationScore {
  const telling = all.filter(isObservable);
  const caught = telling.filter(({ hunt }) => hunt.verdict === 'caught');
  const of = (list: readonly HuntedMutant[], pattern: SievePattern): number =>
    list.filter(({ mutant }) => mutant.pattern === pattern).length;
  return {
    caught: caught.length,
    telling: telling.length,
    medianMs: median(caught.map(({ hunt }) => hunt.ms)),
    byPattern: Object.fromEntries(
      patterns.map((pattern) => [pattern, { caught: of(caught, pattern), telling: of(telling, pattern) }]),
    ) as MutationScore['byPattern'],
  };
}

/** Formats the score in two lines: the total, and the score by pattern. */
export function describeScore(all: readonly HuntedMutant[]): string {
  const { caught, telling, medianMs, byPattern } = scoreOf(all);
  const share = telling === 0 ? 100 : (caught / telling) * 100;
  const each = patterns.map(
    (pattern) => `${pattern} ${byPattern[pattern].caught} of ${byPattern[pattern].telling}`,
  );
  return [
    `caught ${caught} of ${telling} (${share.toFixed(1)} %), median ${(medianMs / 1000).toFixed(2)} s: ${each.join(', ')}`,
    `${all.length - telling} of ${all.length} are no different from the controller they were made of`,
    '',
  ].join('\n');
}

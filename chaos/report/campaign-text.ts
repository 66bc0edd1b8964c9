import type { CampaignReport, CampaignVerdict } from '../run/campaign.ts';

/** Options of the last lines of a campaign. */
export interface EndingOptions {
  /** True for a terminal that shows colours; default false. */
  readonly colour?: boolean;
  /** Command that repeats one seed; without one, no command is shown. */
  readonly commandOf?: (seed: number) => string;
}

const MEANING: Readonly<Record<CampaignVerdict, string>> = {
  PASS: 'no invariant was violated, and the premise of each occurred',
  FAIL: 'an invariant was violated',
  UNKNOWN: 'a run did not finish',
  VACUOUS:
    'no invariant was violated, but the runs never reached the premise of some; more seeds reach more, --accept-vacuous accepts it',
};

/** ANSI colour of each verdict: green, red, yellow. */
const COLOUR: Readonly<Record<CampaignVerdict, number>> = { PASS: 32, FAIL: 31, UNKNOWN: 33, VACUOUS: 33 };

/** Failed seeds with the same cause: the same invariant, or the same reason not to finish. */
interface Cause {
  readonly title: string;
  /** Seed with the fewest steps to the failure. */
  readonly shortest: { readonly seed: number; readonly step: number; readonly text: string };
  /** All its seeds, in ascending order. */
  readonly seeds: readonly number[];
}

/** Groups failed and unfinished seeds by cause, the most frequent first. */
export function causesOf({
  failures,
  unknown,
}: Pick<CampaignReport, 'failures' | 'unknown'>): readonly Cause[] {
  const causes = new Map<string, Cause>();
  const add = (title: string, shortest: Cause['shortest']): void => {
    const known = causes.get(title);
    const isShorter = known === undefined || shortest.step < known.shortest.step;
    causes.set(title, {
      title,
      seeds: [...(known?.seeds ?? []), shortest.seed].toSorted((a, b) => a - b),
      shortest: isShorter ? shortest : known.shortest,
    });
  };
  for (const { seed, failure, steps } of failures)
    add(`${failure?.id ?? 'a run'} is broken`, {
      seed,
      step: failure?.step ?? steps,
      text: `at step ${failure?.step ?? steps}: ${failure?.broken ?? ''}`,
    });
  for (const { seed, reason = '', steps } of unknown)
    // Figures differ between seeds with the same reason.
    add(`did not finish: ${reason.replace(/\d+/g, 'N')}`, { seed, step: steps, text: reason });
  return [...causes.values()].toSorted((a, b) => b.seeds.length - a.seeds.length);
}

/** Returns the last lines of a campaign: a paragraph for each cause, and the verdict. */
export function describeEnding(
  report: CampaignReport,
  summary: string,
  { colour = false, commandOf }: EndingOptions,
): string {
  const { verdict, invariants } = report;
  const paint = (text: string, code: number): string => (colour ? `\u001B[1;${code}m${text}\u001B[0m` : text);
  const missed = invariants.filter(({ reached }) => reached === 0).length;
  const causes = causesOf(report).map(({ title, seeds, shortest: { seed, text } }) =>
    [
      `${paint(title, 31)} (${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'})`,
      `  shortest: seed ${seed} ${text}`,
      ...(commandOf ? [`  replay:   ${commandOf(seed)}`] : []),
      '',
    ].join('\n'),
  );
  const meaning =
    verdict === 'VACUOUS'
      ? `${missed} of ${invariants.length} invariants not tested: ${MEANING.VACUOUS}`
      : MEANING[verdict];
  return [...causes, `${paint(verdict, COLOUR[verdict])}  ${summary}`, meaning, ''].join('\n');
}

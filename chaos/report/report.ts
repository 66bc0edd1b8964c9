import type { Check } from './checks.ts';
import type { Survey } from '../coverage/survey.ts';
import type { CampaignReport, SeedResult } from '../run/campaign.ts';
import type { Story } from '../run/story.ts';

/** A complete campaign report. This is the JSON that `--report FILE.json` writes. */
export interface ChaosReport extends CampaignReport {
  readonly version: 1;
  /** Wall time in seconds. */
  readonly seconds: number;
  /** Command that repeats the campaign. */
  readonly command: string;
  /** Versions of programs and data that may influence a run in addition to the seed. */
  readonly platform: { readonly node: string; readonly icu: string; readonly tzdata: string };
  /** The program with its version, and the time at which the campaign ended. */
  readonly made?: { readonly program: string; readonly atMs: number };
  /** For the shortest seed of each cause, the command that repeats it. */
  readonly commands?: readonly (readonly [seed: number, command: string])[];
  /** The shortest failed run of each violated invariant. */
  readonly smallest: readonly SmallestFailure[];
  readonly survey?: Survey;
  /** The shortest failed run, shrunk, as a story. */
  readonly told?: ToldFailure;
}

export interface SmallestFailure {
  readonly invariant: string;
  readonly seed: number;
  readonly step: number;
  /** Command that repeats only this seed. */
  readonly command: string;
}

/** A failed run as a story without its journal, which the trace file contains. */
export interface ToldFailure {
  readonly seed: number;
  readonly story: Omit<Story, 'journal'>;
}

/** Returns a check for each invariant and for each run that did not finish. */
export const checksOf = ({ invariants, smallest, failures, unknown }: ChaosReport): readonly Check[] => [
  ...invariants.map(({ id, says, reached, broken }): Check => {
    const found = smallest.find(({ invariant }) => invariant === id);
    const how = failures.find(({ seed }) => seed === found?.seed)?.failure?.broken;
    return {
      group: id.slice(0, id.indexOf('/')),
      name: id,
      says,
      outcome: broken > 0 ? 'failed' : reached === 0 ? 'untested' : 'passed',
      ...(found && { message: [how, found.command].filter(Boolean).join(' — ') }),
    };
  }),
  ...unknown.map(({ seed, reason = '' }): Check => ({
    group: 'runs',
    name: `seed-${seed}`,
    says: 'the run finishes',
    outcome: 'unknown',
    message: reason,
  })),
];

/** Returns the shortest failed run of each invariant, in ascending order of length. */
export function smallestFailures(
  failures: readonly SeedResult[],
  commandOf: (seed: number) => string,
): readonly SmallestFailure[] {
  const smallest = new Map<string, SmallestFailure>();
  for (const { seed, failure } of failures) {
    const { id: invariant = '', step = 0 } = failure ?? {};
    if (step < (smallest.get(invariant)?.step ?? Infinity))
      smallest.set(invariant, { invariant, seed, step, command: commandOf(seed) });
  }
  return [...smallest.values()].toSorted((a, b) => a.step - b.step);
}

import { vocabularyOf } from '../../api/vocabulary/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type Observed, createObserver } from '../coverage/observe.ts';
import { randomTape } from '../tape/tape.ts';
import type { Failure, Tally } from './judge.ts';
import { type Outcome, type Subject, run } from './run.ts';
import { type Plan, seeded } from './swarm.ts';
import { type Trace, replay, traceOf } from './trace.ts';

/** Result of one seed. */
export interface SeedResult {
  readonly seed: number;
  readonly verdict: Outcome['verdict'];
  readonly reason?: string;
  readonly tallies: readonly Tally[];
  /** Injected faults with their places: `lost-response cronjob create jobs`. */
  readonly struck: readonly string[];
  /** Reasons for which the API server rejected user actions. Undefined for live runs. */
  readonly refused?: readonly string[];
  readonly steps: number;
  readonly commits: number;
  readonly hash: string;
  /** The violated invariant of a failed run. */
  readonly failure?: Pick<Failure, 'id' | 'broken' | 'step'>;
  /** Trace of the run. Undefined for live runs and for runs that passed. */
  readonly trace?: Trace;
  /** Machine parts that the run covered; undefined if they were not observed. */
  readonly observed?: Observed;
  /** Features of the generated workload; undefined if machine parts were not observed. */
  readonly features?: readonly string[];
}

export interface SeedOptions {
  readonly plan: Plan;
  readonly subject: Subject;
  /** True to replay the run from its record. The replay must have the same result. */
  readonly verify: boolean;
  /** True to record which machine parts the seed covers; default false. */
  readonly observe?: boolean;
  /** Path of the module from which the subject was loaded. */
  readonly module?: string;
}

/** Runs one seed of a plan and evaluates its invariants. */
export async function runSeed(
  seed: number,
  { plan, subject, verify, observe = false, module }: SeedOptions,
): Promise<SeedResult> {
  const { scenario, swarm, random, features } = seeded(seed, plan);
  const observer = observe ? createObserver(vocabularyOf(plan.product)) : undefined;
  const outcome = await run({
    scenario,
    subject,
    tape: randomTape(random),
    swarm,
    ...(observer && { observer }),
  });
  const { failure, tallies, strikes, refused, steps, commits, hash } = outcome;
  const trace = (): Trace => traceOf(scenario, outcome, module);
  const otherWay = verify ? await goesAnotherWay(trace(), subject) : undefined;
  const verdict = otherWay === undefined ? outcome.verdict : 'UNKNOWN';
  const reason = otherWay ?? outcome.reason;
  return {
    seed,
    verdict,
    ...(reason !== undefined && { reason }),
    ...(failure && { failure: { id: failure.id, broken: failure.broken, step: failure.step } }),
    tallies,
    struck: strikes.map(({ name, where }) => `${name} ${where}`),
    ...(refused.length > 0 && { refused }),
    steps,
    commits,
    hash,
    ...(verdict === 'PASS' ? {} : { trace: trace() }),
    ...(observer && { observed: observer.observed(), features }),
  };
}

/** Returns how a replay differs from the run; undefined if it does not differ. */
const goesAnotherWay = (trace: Trace, subject: Subject): Promise<string | undefined> =>
  replay(trace, subject).then(() => undefined, messageOf);

/**
 * Verdict of a campaign. VACUOUS means that no invariant was violated, but the premise of some invariants was
 * never reached.
 */
export type CampaignVerdict = 'PASS' | 'FAIL' | 'VACUOUS' | 'UNKNOWN';

/** Result of all seeds of a campaign. */
export interface CampaignReport {
  readonly verdict: CampaignVerdict;
  readonly seeds: number;
  readonly passed: number;
  /** Total virtual time of all runs in hours. */
  readonly hours: number;
  readonly steps: number;
  readonly commits: number;
  readonly invariants: readonly Tally[];
  /** For each kind of fault: how often it was injected, and at how many kinds of places. */
  readonly faults: readonly { readonly name: string; readonly struck: number; readonly places: number }[];
  /** Number of faults by kind and place, such as `lost-response cronjob create jobs`. */
  readonly coverage: Readonly<Record<string, number>>;
  /**
   * Rejected user actions: their number, and the first reason in the lowest seed. Undefined if there were
   * none.
   */
  readonly refused?: { readonly actions: number; readonly seed: number; readonly reason: string };
  readonly failures: readonly SeedResult[];
  readonly unknown: readonly SeedResult[];
  /** Hash over the hashes of all seeds in order. */
  readonly hash: string;
}

/**
 * Accumulates the results of seeds as they arrive, because storing all results would take too much memory.
 */
export interface CampaignSum {
  readonly seeds: number;
  /** Number of seeds that did not pass. */
  readonly missed: number;
  add(result: SeedResult): void;
  report(): CampaignReport;
}

/** Returns an empty sum to which results can be added. */
export function createCampaignSum(
  plan: Pick<Plan, 'lastsMs'> & { readonly faults: readonly string[] },
): CampaignSum {
  const missed: SeedResult[] = [];
  const hashes: (readonly [seed: number, hash: string])[] = [];
  const invariants = new Map<string, Tally>();
  const coverage = new Map<string, number>();
  let refused: CampaignReport['refused'];
  let steps = 0;
  let commits = 0;
  return {
    get seeds() {
      return hashes.length;
    },
    get missed() {
      return missed.length;
    },
    add(result) {
      if (result.verdict !== 'PASS') missed.push(result);
      hashes.push([result.seed, result.hash]);
      addTallies(invariants, result.tallies);
      refused = withRefused(refused, result);
      for (const where of result.struck) coverage.set(where, (coverage.get(where) ?? 0) + 1);
      steps += result.steps;
      commits += result.commits;
    },
    report() {
      const sorted = missed.toSorted((a, b) => a.seed - b.seed);
      const failures = sorted.filter(({ verdict }) => verdict === 'FAIL');
      const unknown = sorted.filter(({ verdict }) => verdict === 'UNKNOWN');
      const tallies = [...invariants.values()];
      return {
        verdict: verdictOf(failures.length, unknown.length, tallies),
        seeds: hashes.length,
        passed: hashes.length - missed.length,
        hours: (hashes.length * plan.lastsMs) / 3_600_000,
        steps,
        commits,
        invariants: tallies,
        faults: plan.faults.map((name) => {
          const places = [...coverage].filter(([where]) => where.startsWith(`${name} `));
          return { name, struck: sum(places.map(([, count]) => count)), places: places.length };
        }),
        coverage: Object.fromEntries([...coverage].toSorted(([a], [b]) => (a < b ? -1 : 1))),
        ...(refused && { refused }),
        failures,
        unknown,
        hash: hashes
          .toSorted(([a], [b]) => a - b)
          .map(([, hash]) => hash)
          .reduce(mix, ''),
      };
    },
  };
}

/** Summarizes the results of seeds. */
export function summarize(
  results: readonly SeedResult[],
  plan: Parameters<typeof createCampaignSum>[0],
): CampaignReport {
  const added = createCampaignSum(plan);
  for (const result of results.toSorted((a, b) => a.seed - b.seed)) added.add(result);
  return added.report();
}

function withRefused(
  known: CampaignReport['refused'],
  { seed, refused: [reason, ...others] = [] }: SeedResult,
): CampaignReport['refused'] {
  if (reason === undefined) return known;
  const actions = (known?.actions ?? 0) + 1 + others.length;
  return known && known.seed < seed ? { ...known, actions } : { actions, seed, reason };
}

function verdictOf(failed: number, unknown: number, invariants: readonly Tally[]): CampaignVerdict {
  if (failed > 0) return 'FAIL';
  if (unknown > 0) return 'UNKNOWN';
  return invariants.some(({ reached }) => reached === 0) ? 'VACUOUS' : 'PASS';
}

function addTallies(added: Map<string, Tally>, tallies: readonly Tally[]): void {
  for (const tally of tallies) {
    const { says = tally.says, checked = 0, reached = 0, broken = 0 } = added.get(tally.id) ?? {};
    added.set(tally.id, {
      id: tally.id,
      says,
      checked: checked + tally.checked,
      reached: reached + tally.reached,
      broken: broken + tally.broken,
    });
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Combines two hashes of 16 hexadecimal digits each. */
const mix = (folded: string, hash: string): string => {
  const a = BigInt(`0x${folded === '' ? '0' : folded}`);
  return BigInt.asUintN(64, (a ^ BigInt(`0x${hash}`)) * 0x100000001b3n)
    .toString(16)
    .padStart(16, '0');
};

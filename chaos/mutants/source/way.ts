import { createSystemClock } from '../../../base/clock/index.ts';
import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import { exploreController } from '../../explore/explore-controller.ts';
import { subjectOf } from '../../explore/scenarios/index.ts';
import { runSeed } from '../../run/campaign.ts';
import type { LoadedSubject } from '../../run/subject.ts';
import type { Plan } from '../../run/swarm.ts';
import type { Reach } from '../hunt.ts';
import { limitSwitches, switchMutant, switchesLeft, takeReached } from './switch.ts';

/** A run in which a mutant can be caught: a seed, or a search of the explorer. */
export type Way =
  | { readonly kind: 'seed'; readonly seed: number }
  | { readonly kind: 'search'; readonly workload: string; readonly reach: Reach };

/** Result of one run. */
export interface WayResult {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** Id of the violated invariant, or the reason of the verdict `unknown`. */
  readonly by: string;
  /** Hash that is equal for runs with identical behaviour. */
  readonly hash: string;
  readonly ms: number;
  /** Numbers of the mutants whose place was reached. */
  readonly reached: readonly number[];
  /** Number of times that switches were read. */
  readonly switches: number;
}

export interface WayOptions {
  readonly plan: Plan;
  readonly subject: LoadedSubject;
  /** Time limit of one search in milliseconds. */
  readonly searchMs: number;
}

/** Default number of switches that a run may read. */
const MOST_SWITCHES = 1e9;
/** Maximum number of states of a search. A limit on states does not depend on the speed of the machine. */
const MAX_STATES = 20_000;
/** Name reported as the invariant for runs that end with an error, hang, or exceed their steps or memory. */
export const NO_VERDICT = 'run/no-verdict';

const clock = createSystemClock();

/** Executes one run with a mutant; 0 for the original. `maxSwitches` ends endless loops. */
export async function goWay(
  way: Way,
  mutant: number,
  options: WayOptions,
  maxSwitches = MOST_SWITCHES,
): Promise<WayResult> {
  const startMs = clock.monotonic();
  takeReached();
  limitSwitches(maxSwitches);
  switchMutant(mutant);
  try {
    const result = await (way.kind === 'seed' ? goSeed(way.seed, options) : goSearch(way, options));
    const switches = maxSwitches - switchesLeft();
    return { ...result, ms: clock.monotonic() - startMs, reached: takeReached(), switches };
  } finally {
    switchMutant(0);
    limitSwitches();
  }
}

type Judged = Pick<WayResult, 'verdict' | 'by' | 'hash'>;

async function goSeed(seed: number, { plan, subject }: WayOptions): Promise<Judged> {
  const { verdict, failure, hash } = await runSeed(seed, { plan, subject, verify: false });
  if (verdict === 'FAIL') return { verdict: 'fail', by: failure?.id ?? NO_VERDICT, hash };
  return verdict === 'PASS' ? { verdict: 'pass', by: '', hash } : { verdict: 'fail', by: NO_VERDICT, hash };
}

async function goSearch(
  { workload, reach }: Extract<Way, { kind: 'search' }>,
  { searchMs }: WayOptions,
): Promise<Judged> {
  const { objects, faults, leaders } = reach;
  const subject = subjectOf(workload, orchVocabulary, objects);
  if (!subject) throw new Error(`there is no workload ${workload}`);
  const bounds = { faults, leaders, lag: 1, maxStates: MAX_STATES, maxMs: searchMs };
  const found = await exploreController({ ...subject, ...bounds, clock });
  const hash = `${found.hash} ${found.contents}`;
  return found.verdict === 'fail'
    ? { verdict: 'fail', by: found.violation.invariant, hash }
    : { verdict: found.verdict, by: '', hash };
}

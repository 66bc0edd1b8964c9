import { vocabularyOf } from '../../api/vocabulary/index.ts';
import { createControllers } from '../../controllers/index.ts';
import { selectControllers } from '../../runtime/index.ts';
import { minimize } from '../tape/shrink.ts';
import { type Deviation } from '../tape/tape.ts';
import { neededResources } from '../workload/needed-resources.ts';
import { credentialsOf } from '../world/credentials.ts';
import type { Action } from '../world/user.ts';
import type { Outcome, RunScenario, Subject } from './run.ts';
import { type Trace, readTape, rerun, traceOf } from './trace.ts';

export interface Shrunk {
  readonly trace: Trace;
  readonly outcome: Outcome;
  /** Number of runs that shrinking took. */
  readonly runs: number;
  /** True if every remaining deviation and action is necessary for the violation. */
  readonly minimal: boolean;
}

/** Part of a run: a deviation or a user action. */
type Item = { readonly deviation: Deviation } | { readonly action: Action };

/** A run with the violation. */
interface Failing {
  readonly scenario: RunScenario;
  readonly deviations: readonly Deviation[];
  readonly outcome: Outcome;
}

type Candidate = Omit<Failing, 'outcome'>;

/**
 * Returns a possibly simpler candidate for the same violation. Undefined if the run cannot be simplified in
 * this way.
 */
type Offer = (failing: Failing) => Candidate | undefined;

/** Search for the smallest run with the violation. */
interface Search {
  readonly smallest: Failing;
  readonly runs: number;
  /** True if the candidate has the same violation. The candidate then becomes the smallest run. */
  fails(candidate: Candidate): Promise<boolean>;
}

/**
 * Returns the shortest trace found with the same violation. Stops early when `goesOn()` is false.
 *
 * First removes everything that slows all further runs: the time after the violation, the second manager,
 * unused kinds and controllers, and message delays. Then removes deviations, actions and controllers until
 * each remaining one is necessary.
 */
export async function shrink(
  trace: Trace,
  subject: Subject,
  goesOn: () => boolean = () => true,
): Promise<Shrunk> {
  const { scenario, tape } = trace;
  const deviations = readTape(tape);
  const outcome = await rerun(scenario, deviations, subject);
  if (outcome.failure === undefined || outcome.failure.id !== trace.expected.invariant)
    return { trace, outcome, runs: 1, minimal: false };
  const search = createSearch({ scenario, deviations, outcome }, subject);
  for (const offer of [upToFailure, withOneManager, withFewKinds, withCulprit, withoutDelays]) {
    const candidate = offer(search.smallest);
    if (candidate !== undefined && goesOn()) await search.fails(candidate);
  }
  let minimal = await leaveOutItems(search, goesOn);
  if (await leaveOutControllers(search, subject, goesOn)) minimal = await leaveOutItems(search, goesOn);
  const { smallest, runs } = search;
  return {
    trace: traceOf(smallest.scenario, smallest.outcome, trace.module),
    outcome: smallest.outcome,
    runs,
    minimal,
  };
}

function createSearch(first: Failing, subject: Subject): Search {
  let smallest = first;
  let runs = 1;
  return {
    get smallest() {
      return smallest;
    },
    get runs() {
      return runs;
    },
    async fails({ scenario, deviations }) {
      runs++;
      const outcome = await rerun(scenario, deviations, subject);
      const same = outcome.failure?.id === first.outcome.failure?.id;
      if (same) smallest = { scenario, deviations, outcome };
      return same;
    },
  };
}

// --- simplifications that make runs faster
// ------------------------------------------------------------------------------

/**
 * Ends the run at the violating change. A missing change is detected only at the end of the run, so such a
 * run keeps its length.
 */
const upToFailure: Offer = ({ scenario, deviations, outcome: { failure } }) => {
  if (failure?.commit === undefined) return undefined;
  const endMs = Math.ceil(failure.atMs) + 1;
  const faultsMs = Math.min(scenario.faultsMs, endMs);
  return { scenario: { ...scenario, faultsMs, calmMs: endMs - faultsMs }, deviations };
};

const withOneManager: Offer = ({ scenario, deviations }) =>
  scenario.managers > 1 ? { scenario: { ...scenario, managers: 1, leases: false }, deviations } : undefined;

const withFewKinds: Offer = ({ scenario, deviations }) =>
  scenario.resources === undefined
    ? {
        scenario: { ...scenario, resources: neededResources(scenario.workload, scenario.leases) },
        deviations,
      }
    : undefined;

/**
 * Removes all controllers except the violating one. If a change is missing, all controllers stay, because the
 * cause may be a controller that does not run.
 */
const withCulprit: Offer = ({ scenario, deviations, outcome: { failure } }) =>
  // If the actor is not a controller, the candidate does not start and therefore has no violation.
  failure?.commit && { scenario: { ...scenario, controllers: [failure.commit.actor] }, deviations };

const withoutDelays: Offer = ({ scenario, deviations }) => ({
  scenario,
  deviations: deviations.filter(({ label }) => !label.startsWith('delay ')),
});

// --- removal of parts
// -----------------------------------------------------------------------------------------------------

/** Removes deviations and actions. Returns true if all remaining ones are necessary. */
async function leaveOutItems(search: Search, goesOn: () => boolean): Promise<boolean> {
  const { scenario, deviations } = search.smallest;
  const items: readonly Item[] = [
    ...scenario.workload.map((action) => ({ action })),
    ...deviations.map((deviation) => ({ deviation })),
  ];
  const candidateOf = (part: readonly Item[]): Candidate => ({
    scenario: { ...scenario, workload: part.flatMap((item) => ('action' in item ? [item.action] : [])) },
    deviations: part.flatMap((item) => ('deviation' in item ? [item.deviation] : [])),
  });
  const { minimal } = await minimize(items, (part) => search.fails(candidateOf(part)), goesOn);
  return minimal;
}

/**
 * Removes controllers. Returns true if any controller was unnecessary. If a change is missing, all
 * controllers stay.
 */
async function leaveOutControllers(
  search: Search,
  subject: Subject,
  goesOn: () => boolean,
): Promise<boolean> {
  const { scenario, deviations, outcome } = search.smallest;
  if (outcome.failure?.commit === undefined) return false;
  const { settings } = credentialsOf(vocabularyOf(scenario.product));
  const all = selectControllers((subject.definitions ?? createControllers)(settings), scenario.controllers);
  const { part } = await minimize(
    all.map(({ name }) => name),
    (controllers) => search.fails({ scenario: { ...scenario, controllers }, deviations }),
    goesOn,
  );
  return part.length < all.length;
}

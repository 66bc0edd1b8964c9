import { vocabularyOf } from '../../api/vocabulary/vocabulary.ts';
import { createControllers } from '../../controllers/index.ts';
import { selectControllers } from '../../runtime/index.ts';
import { minimize } from '../tape/shrink.ts';
import { type Deviation } from '../tape/tape.ts';
import { neededResources } from '../workload/needed-resources.ts';
import { credentialsOf } from '../world/credentials.ts';
import type { Action } from '../world/user.ts';
import type { Outcome, Scenario, Subject } from './run.ts';
import { type Trace, readTape, rerun, traceOf } from './trace.ts';

export interface Shrunk {
  readonly trace: Trace;
  readonly outcome: Outcome;
  /** Runs it took. */
  readonly runs: number;
  /** Whether every single deviation and action that is left is needed. */
  readonly minimal: boolean;
}

/** One thing that a run consists of: something that goes wrong, or something that somebody does. */
type Item = { readonly deviation: Deviation } | { readonly action: Action };

/** A run that breaks the invariant. */
interface Failing {
  readonly scenario: Scenario;
  readonly deviations: readonly Deviation[];
  readonly outcome: Outcome;
}

type Candidate = Omit<Failing, 'outcome'>;

/** A run that may be a simpler one that breaks the same; undefined for none. */
type Offer = (failing: Failing) => Candidate | undefined;

/** The smallest failing run so far. */
interface Search {
  readonly smallest: Failing;
  readonly runs: number;
  /** Whether a run breaks the same; the last that did is the smallest. */
  fails(candidate: Candidate): Promise<boolean>;
}

/**
 * The shortest trace found in which the same invariant is broken, for as long as `goesOn` (default until there is nothing
 * more to leave out). First goes what makes all that follows quicker: the end, the second of two controller managers,
 * kinds and controllers that it happens without, delays of messages. Then deviations and actions are left out together,
 * and controllers: of what is left every single deviation and action is needed.
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

// --- what makes runs quicker -------------------------------------------------------------------------------------------

/** Nothing after the change that broke it matters; what has not come is missed at the end alone. */
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

/** The one controller that broke it. What has not come may be missing because nobody is there to do it: then all stay. */
const withCulprit: Offer = ({ scenario, deviations, outcome: { failure } }) =>
  // An actor that is no controller makes a run that does not start, and so does not fail.
  failure?.commit && { scenario: { ...scenario, controllers: [failure.commit.actor] }, deviations };

const withoutDelays: Offer = ({ scenario, deviations }) => ({
  scenario,
  deviations: deviations.filter(({ label }) => !label.startsWith('delay ')),
});

// --- what it consists of -----------------------------------------------------------------------------------------------

/** Whether every deviation and action that is left is needed. */
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

/** Whether any could be left out; none where something has not come. */
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

import { type Deviation } from '../tape/tape.ts';
import { minimize } from '../tape/shrink.ts';
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

/**
 * The shortest trace found in which the same invariant is broken. First the end is cut off, then deviations and
 * actions are left out together, then one of two controller managers. Of what is left every single item is needed.
 */
export async function shrink(trace: Trace, subject: Subject, tries = 2_000): Promise<Shrunk> {
  const { invariant } = trace.expected;
  let runs = 0;
  let best: { scenario: Scenario; outcome: Outcome } | undefined;
  const fails = async (scenario: Scenario, deviations: readonly Deviation[]): Promise<boolean> => {
    runs++;
    const outcome = await rerun(scenario, deviations, subject);
    const same = outcome.failure?.id === invariant;
    if (same) best = { scenario, outcome };
    return same;
  };
  const deviations = readTape(trace.tape);
  if (invariant === undefined || !(await fails(trace.scenario, deviations)) || best === undefined)
    return { trace, outcome: await rerun(trace.scenario, deviations, subject), runs, minimal: false };

  let scenario = upToFailure(trace.scenario, best.outcome);
  if (!(await fails(scenario, deviations))) scenario = trace.scenario;
  if (scenario.managers > 1 && (await fails({ ...scenario, managers: 1 }, deviations)))
    scenario = { ...scenario, managers: 1 };
  const only = culprit(subject, best.outcome);
  // An actor that is no controller makes a run that does not start, and so does not fail.
  if (only !== undefined && (await fails({ ...scenario, controllers: [only] }, deviations)))
    scenario = { ...scenario, controllers: [only] };

  const items: readonly Item[] = [
    ...deviations.map((deviation) => ({ deviation })),
    ...scenario.workload.map((action) => ({ action })),
  ];
  const { minimal } = await minimize(
    items,
    (part) => {
      const { left, workload } = split(part);
      return fails({ ...scenario, workload }, left);
    },
    tries,
  );
  return { trace: traceOf(best.scenario, best.outcome, trace.module), outcome: best.outcome, runs, minimal };
}

/** Nothing after the change that broke it matters; what has not come is missed at the end alone. */
function upToFailure(scenario: Scenario, { failure }: Outcome): Scenario {
  if (failure?.commit === undefined) return scenario;
  const endMs = Math.ceil(failure.atMs) + 1;
  const faultsMs = Math.min(scenario.faultsMs, endMs);
  return { ...scenario, faultsMs, calmMs: endMs - faultsMs };
}

function split(items: readonly Item[]): {
  readonly left: readonly Deviation[];
  readonly workload: readonly Action[];
} {
  return {
    left: items.flatMap((item) => ('deviation' in item ? [item.deviation] : [])),
    workload: items.flatMap((item) => ('action' in item ? [item.action] : [])),
  };
}

/** The one controller that an invariant is about, or whose change broke it. */
function culprit(subject: Subject, { failure }: Outcome): string | undefined {
  const { controller } = subject.invariants.find(({ id }) => id === failure?.id) ?? {};
  return controller === undefined || controller === '*' ? failure?.commit?.actor : controller;
}

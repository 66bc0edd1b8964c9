import { invariantIdOf } from '../invariants/aliases.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { JournalEntry } from '../../runtime/index.ts';
import { type Deviation, editedTape, recordedTape } from '../tape/tape.ts';
import { NO_ODDS, type Swarm } from '../world/faults.ts';
import { type Outcome, type RunOptions, type RunScenario, type Subject, run } from './run.ts';

/** A run that can be replayed exactly: scenario, tape and result, as JSON. */
export interface Trace {
  readonly version: 1;
  readonly scenario: RunScenario;
  /** Deviations from the calm run. */
  readonly tape: Tape;
  readonly expected: {
    readonly verdict: Outcome['verdict'];
    readonly invariant?: string;
    readonly broken?: string;
    readonly step?: number;
    readonly hash: string;
  };
  /** Path of the module with the additional controllers and invariants. */
  readonly module?: string;
  /** Journal of the controllers. */
  readonly journal?: readonly JournalEntry[];
}

/** Deviations as rows of numbers; labels are indexes into a list. */
interface Tape {
  readonly labels: readonly string[];
  /** Rows of at, label, nth, of, took. */
  readonly rows: readonly (readonly [number, number, number, number, number])[];
}

export class TraceError extends CodedError<'ERR_TRACE' | 'ERR_TRACE_HASH'> {}

function writeTape(deviations: readonly Deviation[]): Tape {
  const labels = [...new Set(deviations.map(({ label }) => label))];
  const index = new Map(labels.map((label, i) => [label, i]));
  return {
    labels,
    rows: deviations.map(({ at, label, nth, of, took }) => [at, index.get(label) ?? 0, nth, of, took]),
  };
}

export const readTape = ({ labels, rows }: Tape): readonly Deviation[] =>
  rows.map(([at, label, nth, of, took]) => ({ at, label: labels[label] ?? '', nth, of, took }));

/** Creates the trace of a run. `module` is the path of the subject's module. */
export function traceOf(scenario: RunScenario, outcome: Outcome, module?: string): Trace {
  const { verdict, failure, hash, deviations } = outcome;
  return {
    version: 1,
    scenario,
    tape: writeTape(deviations),
    expected: {
      verdict,
      hash,
      ...(failure && { invariant: failure.id, broken: failure.broken, step: failure.step }),
    },
    ...(module !== undefined && { module }),
  };
}

/** Parses a trace file. Throws `ERR_TRACE` for invalid input. */
export function parseTrace(text: string): Trace {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new TraceError('ERR_TRACE', 'the trace is not JSON', { cause });
  }
  const trace = parsed as Partial<Trace> | null;
  if (typeof trace !== 'object' || trace === null || trace.version !== 1 || !trace.scenario || !trace.tape)
    throw new TraceError('ERR_TRACE', 'expected a trace of version 1 with a scenario and a tape');
  const { invariant } = trace.expected ?? {};
  return {
    ...(trace as Trace),
    // Traces of earlier releases contain the former id.
    ...(invariant !== undefined && { expected: { ...trace.expected, invariant: invariantIdOf(invariant) } }),
  } as Trace;
}

/** Swarm without random faults: all faults come from the record. */
const still: Swarm = {
  faults: [],
  budget: 0,
  odds: NO_ODDS,
  jitter: 0,
};

type Watched = Pick<RunOptions, 'journal' | 'onStep' | 'onCommit' | 'onEntry' | 'onHappening'>;

/** Replays a run exactly. Throws `ERR_NONDETERMINISM` or `ERR_TRACE_HASH` if the replay differs. */
export async function replay(trace: Trace, subject: Subject, watched: Watched = {}): Promise<Outcome> {
  const tape = recordedTape(readTape(trace.tape));
  const outcome = await run({ scenario: trace.scenario, subject, tape, swarm: still, ...watched });
  if (outcome.hash !== trace.expected.hash)
    throw new TraceError(
      'ERR_TRACE_HASH',
      `the replay diverged: its hash is ${outcome.hash}, the trace has ${trace.expected.hash}`,
    );
  return outcome;
}

/** Runs an edited scenario with some of the deviations of a run. */
export const rerun = (
  scenario: RunScenario,
  deviations: readonly Deviation[],
  subject: Subject,
): Promise<Outcome> => run({ scenario, subject, tape: editedTape(deviations), swarm: still });

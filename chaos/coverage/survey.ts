import { lifecycles } from '../../api/lifecycles/index.ts';
import { type FaultName, faultKinds } from '../world/fault-kinds.ts';
import { canStrike } from '../world/request-traits.ts';
import { type LifecycleSurvey, surveyOfLifecycle } from './lifecycles.ts';
import { type MachineParts, isTransition } from './machine-parts.ts';
import { type Counts, type Observed, readTraits } from './observe.ts';

/** Coverage of a campaign, as JSON. */
export interface Survey {
  readonly controllers: readonly ControllerSurvey[];
  readonly lifecycles: readonly LifecycleSurvey[];
  /** Faults by the state whose request they affected. */
  readonly faultsByState: Matrix;
  /** Faults by verb and resource of the affected request, for all actors. */
  readonly faultsByRequest: Matrix;
  /** Event faults by the resource of the watch. */
  readonly faultsByWatch: Matrix;
  /** Number of different observations after each number of seeds, in ascending order. */
  readonly curve: readonly { readonly seeds: number; readonly seen: number }[];
}

export interface ControllerSurvey {
  readonly controller: string;
  readonly states: readonly { readonly state: string; readonly seen: number }[];
  readonly transitions: readonly {
    readonly from: string;
    readonly on: string;
    readonly to: string;
    /**
     * Number of occurrences. Null for the failure or timeout of an effect that sends no request, because that
     * is impossible.
     */
    readonly seen: number | null;
  }[];
}

export interface Matrix {
  readonly columns: readonly string[];
  /**
   * Cells with the number of occurrences: null if the fault is impossible, 0 if it is possible and never
   * occurred.
   */
  readonly rows: readonly { readonly name: string; readonly cells: readonly (number | null)[] }[];
}

/** Returns the possible combinations that never occurred, such as `conflict × cronjob creating`. */
export const holesOf = ({ columns, rows }: Matrix): readonly string[] =>
  rows.flatMap(({ name, cells }) =>
    cells.flatMap((cell, at) => (cell === 0 ? [`${columns[at] ?? ''} × ${name}`] : [])),
  );

type Seen = Map<string, { count: number; firstSeed: number }>;

/** Sum of the coverage of seeds, which are added in any order. */
export interface SurveySum {
  add(seed: number, observed: Observed, struck: readonly string[]): void;
  survey(machines: readonly MachineParts[], faults: readonly FaultName[]): Survey;
}

/** Creates an empty sum. */
export function createSurveySum(): SurveySum {
  const [states, transitions, requests, strikes, events, moves]: readonly [
    Seen,
    Seen,
    Seen,
    Seen,
    Seen,
    Seen,
  ] = [new Map(), new Map(), new Map(), new Map(), new Map(), new Map()];
  const seeds = new Set<number>();
  const addTo = (seen: Seen, seed: number, counts: Counts): void => {
    for (const [name, count] of Object.entries(counts)) {
      const known = seen.get(name);
      if (known === undefined) seen.set(name, { count, firstSeed: seed });
      else {
        known.count += count;
        known.firstSeed = Math.min(known.firstSeed, seed);
      }
    }
  };
  return {
    add(seed, observed, struck) {
      seeds.add(seed);
      addTo(states, seed, observed.states);
      addTo(transitions, seed, observed.transitions);
      addTo(requests, seed, observed.requests);
      addTo(strikes, seed, observed.strikes);
      addTo(moves, seed, observed.moves);
      for (const each of struck) if (isEventStrike(each)) addTo(events, seed, { [each]: 1 });
    },
    survey: (machines, faults) => ({
      controllers: machines.map((machine) => surveyOf(machine, states, transitions, requests)),
      lifecycles: lifecycles.map((each) => surveyOfLifecycle(each, moves)),
      faultsByState: requestMatrix(requests, strikes, faults, ([actor, state]) =>
        state === '-' ? undefined : `${actor} ${state}`,
      ),
      faultsByRequest: requestMatrix(requests, strikes, faults, ([, , verb, target]) => `${verb} ${target}`),
      faultsByWatch: watchMatrix(requests, events, faults),
      curve: curveOf([states, transitions, requests, strikes, events, moves], seeds),
    }),
  };
}

const pointOf = new Map(faultKinds.map(({ name, point }) => [name as string, point]));
const isEventStrike = (struck: string): boolean => pointOf.get(struck.split(' ')[0] ?? '') === 'event';

function surveyOf(
  { controller, states, transitions }: MachineParts,
  seenStates: Seen,
  seenTransitions: Seen,
  requests: Seen,
): ControllerSurvey {
  const asking = new Set(
    [...requests.keys()].flatMap((name) => {
      const [of, state = ''] = name.split(' ');
      return of === controller ? [state] : [];
    }),
  );
  const seenIn = (state: string): number => seenStates.get(`${controller} ${state}`)?.count ?? 0;
  const taken = [...seenTransitions].flatMap(([name, { count }]) => {
    const [of, from = '', event = '', to = ''] = name.split(' ');
    return of === controller ? [{ from, event, to, count }] : [];
  });
  return {
    controller,
    states: states.map((state) => ({ state, seen: seenIn(state) })),
    transitions: transitions.map((transition) => {
      const { from, on, to } = transition;
      const seen = taken
        .filter((each) => isTransition(transition, each))
        .reduce((total, { count }) => total + count, 0);
      const isFree = isFault(on) && seen === 0 && seenIn(from) > 0 && !asking.has(from);
      return { from, on, to, seen: isFree ? null : seen };
    }),
  };
}

/** True if the cause of the transition is a failed or timed-out effect. */
const isFault = (on: string): boolean => on.startsWith('error(') || on.startsWith('after ');

/**
 * Builds a matrix of requests and faults. `rowOf` returns the row of a request. A fault is possible in a row
 * if it can affect one of the row's requests.
 */
function requestMatrix(
  requests: Seen,
  strikes: Seen,
  faults: readonly FaultName[],
  rowOf: (request: readonly string[]) => string | undefined,
): Matrix {
  const columns = faults.filter((name) => pointOf.get(name) === 'request');
  const cells = new Map<string, Map<string, number>>();
  for (const name of requests.keys()) {
    const parts = name.split(' ');
    const row = rowOf(parts);
    if (row === undefined) continue;
    const traits = readTraits(parts[2] ?? '', parts[4] ?? '');
    for (const fault of columns) if (canStrike(traits, fault)) put(cells, row, fault, 0);
  }
  for (const [name, { count }] of strikes) {
    const [fault = '', ...parts] = name.split(' ');
    const row = rowOf(parts);
    if (row !== undefined) put(cells, row, fault, count);
  }
  return matrixOf(columns, cells);
}

function watchMatrix(requests: Seen, events: Seen, faults: readonly FaultName[]): Matrix {
  const columns = faults.filter((name) => pointOf.get(name) === 'event');
  const cells = new Map<string, Map<string, number>>();
  for (const name of requests.keys()) {
    const [, , verb, target = ''] = name.split(' ');
    if (verb === 'watch') for (const fault of columns) put(cells, target, fault, 0);
  }
  for (const [name, { count }] of events) {
    const [fault = '', , target = ''] = name.split(' ');
    put(cells, target, fault, count);
  }
  return matrixOf(columns, cells);
}

function put(cells: Map<string, Map<string, number>>, row: string, column: string, count: number): void {
  const of = cells.get(row) ?? new Map<string, number>();
  cells.set(row, of.set(column, (of.get(column) ?? 0) + count));
}

const matrixOf = (columns: readonly string[], cells: Map<string, Map<string, number>>): Matrix => ({
  columns,
  rows: [...cells]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of]) => ({ name, cells: columns.map((column) => of.get(column) ?? null) })),
});

function curveOf(all: readonly Seen[], seeds: ReadonlySet<number>): Survey['curve'] {
  const newIn = new Map<number, number>();
  for (const seen of all)
    for (const { firstSeed } of seen.values()) newIn.set(firstSeed, (newIn.get(firstSeed) ?? 0) + 1);
  const points: { readonly seeds: number; readonly seen: number }[] = [];
  let total = 0;
  for (const [at, seed] of [...seeds].toSorted((a, b) => a - b).entries()) {
    const found = newIn.get(seed) ?? 0;
    total += found;
    if (found > 0 || at === seeds.size - 1) points.push({ seeds: at + 1, seen: total });
  }
  return points;
}

import type { Clock } from '../../base/clock/index.ts';
import { createFrontier } from './frontier.ts';
import { createEnds, createGraphHash } from './graph-figures.ts';
import { type Verify, withVerification } from './hidden-memory.ts';
import { createNumberList } from './state-table.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import { type Steps, knownStepsFrom } from './steps.ts';
import { type TraceStep, traceTo } from './trace.ts';
import { createWorldRows } from './world-rows.ts';
import type { ModelWorld } from './world.ts';

export interface ExploreOptions {
  readonly steps: Steps;
  /** Processes that run the controller at the same time, each of which believes that it leads. */
  readonly leaders: number;
  /** Maximum number of faults on one path. */
  readonly faults: number;
  /** Number of states after which the search stops with `unknown`. */
  readonly maxStates: number;
  /** Milliseconds after which the search stops with `unknown`; default none. */
  readonly maxMs?: number;
  /**
   * Returns the used share of the available memory, 0 to 1; the search stops when little is left. Default 0.
   */
  readonly memoryUsed?: () => number;
  /** Measures the duration. */
  readonly clock: Clock;
  /** Checks the results; the verdict is `unknown` if it throws `HiddenMemoryError`. Default: no check. */
  readonly verify?: Verify;
  /** Called every 1024 states. */
  readonly onProgress?: (progress: Progress) => void;
}

/** State of a running search. */
export interface Progress {
  readonly states: number;
  /** States that are not expanded yet. */
  readonly waiting: number;
  readonly depth: number;
  readonly ms: number;
}

/** Outcome of an exploration; `unknown` if a bound was reached, which proves nothing. */
export type Exploration = Figures &
  (
    | { readonly verdict: 'pass' }
    | { readonly verdict: 'fail'; readonly violation: Violation; readonly trace: readonly TraceStep[] }
    | { readonly verdict: 'unknown'; readonly because: string }
  );

export interface Figures {
  readonly states: number;
  readonly steps: number;
  /** Length of the longest shortest path to a state. */
  readonly depth: number;
  readonly ms: number;
  /** Hash of the graph; equal for equal controller, workload and bounds. */
  readonly hash: string;
  /** Hash of the states' contents. Graphs of the same shape may differ in their objects. */
  readonly contents: string;
  /** Total characters of the distinct parts that states consist of. */
  readonly characters: number;
  readonly parts: number;
  /**
   * Number of distinct quiescent stores without versions: the final results that the workload's choices lead
   * to.
   */
  readonly ends: number;
  /**
   * Final results that only a fault leads to. If there are none, faults leave no visible trace.
   */
  readonly faultyEnds: number;
}

/**
 * Share of memory at which the search stops, because a process that runs out of memory exits without a
 * message.
 */
const NEARLY_ALL = 0.92;

/**
 * Visits all reachable states and stops at the first violation.
 *
 * States are visited by number of faults, then by distance. Each state is expanded once, with the largest
 * number of remaining faults, because fewer remaining faults allow no additional behaviour.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  let figures = (): Figures => NO_FIGURES;
  const result = await withVerification(
    () => search(options, (current) => (figures = current)),
    ({ verdict }) => verdict,
    options.verify,
  );
  return 'found' in result ? result.found : { verdict: 'unknown', because: result.because, ...figures() };
}

const NO_FIGURES: Figures = {
  states: 0,
  steps: 0,
  depth: 0,
  ms: 0,
  hash: '',
  contents: '',
  characters: 0,
  parts: 0,
  ends: 0,
  faultyEnds: 0,
};

async function search(
  options: ExploreOptions,
  onFigures: (figures: () => Figures) => void,
): Promise<Exploration> {
  const { steps, clock, maxStates, maxMs = Infinity, memoryUsed = () => 0 } = options;
  const startedMs = clock.monotonic();
  const initial = steps.initial(options.leaders);
  const rows = createWorldRows(initial.processes.length);
  const states = createFrontier(rows.width, options.faults);
  /** Steps that need neither a user nor time, as pairs from, to. */
  const edges = createNumberList();
  const idle = new Set<number>();
  const ends = createEnds();
  const graph = createGraphHash();

  const stepsFrom = (world: ModelWorld, faults: number): Promise<Step[]> =>
    knownStepsFrom(steps, world, options.faults - faults);
  const figures = (): Figures => ({
    states: states.size,
    steps: graph.steps,
    depth: states.depth,
    ms: clock.monotonic() - startedMs,
    hash: graph.digest(states.size),
    contents: rows.digest(),
    characters: rows.characters,
    parts: rows.size,
    ends: ends.all,
    faultyEnds: ends.faulty,
  });
  onFigures(figures);
  const unknown = (because: string): Exploration => ({ verdict: 'unknown', because, ...figures() });
  const failed = async (violation: Violation, id: number, isStep: boolean): Promise<Exploration> => ({
    verdict: 'fail',
    violation,
    trace: await traceTo({ initial, rows, states, stepsFrom }, id, isStep ? violation : undefined),
    ...figures(),
  });

  states.enter(rows.rowOf(initial), -1, 0);
  let looked = 0;
  for (let faults = 0; faults <= options.faults; faults++)
    for (const id of states.of(faults)) {
      if (states.size > maxStates) return unknown(`more than ${maxStates} states`);
      if (looked % 1024 === 0) {
        const ms = clock.monotonic() - startedMs;
        options.onProgress?.({ states: states.size, waiting: states.size - looked, depth: states.depth, ms });
        if (ms > maxMs) return unknown(`more than ${Math.round(maxMs / 1000)} s`);
        if (memoryUsed() > NEARLY_ALL) return unknown(`no memory for more than ${states.size} states`);
      }
      looked += 1;
      const world = rows.worldOf(states.row(id));
      if (steps.isAtRest(world)) {
        ends.note(world, faults === 0);
        const unmet = steps.unmet(world);
        if (unmet) return failed(unmet, id, false);
      }
      if (steps.isIdle(world)) idle.add(id);
      for (const step of await stepsFrom(world, faults)) {
        if (step.broken) return failed(step.broken, id, true);
        const to = states.enter(rows.rowOf(step.world), id, step.fault ? faults + 1 : faults);
        graph.add(to);
        if (!step.fault && !step.wish && !step.tick && to !== id) {
          edges.push(id);
          edges.push(to);
        }
      }
    }
  const stuck = firstWithout(states.size, idle, edges);
  if (stuck !== undefined)
    return failed(
      { invariant: 'generic/converges', how: 'from this state the system never converges' },
      stuck,
      false,
    );
  return { verdict: 'pass', ...figures() };
}

/** Returns the nearest state from which no path leads to one of `goals`, by one backward search. */
function firstWithout(
  size: number,
  goals: ReadonlySet<number>,
  edges: { readonly length: number; at(index: number): number },
): number | undefined {
  const heads = new Int32Array(size).fill(-1);
  const following = new Int32Array(edges.length / 2);
  for (let edge = 0; edge * 2 < edges.length; edge++) {
    const to = edges.at(edge * 2 + 1);
    following[edge] = heads[to] ?? -1;
    heads[to] = edge;
  }
  const can = new Uint8Array(size);
  const pending = [...goals];
  for (const goal of pending) can[goal] = 1;
  for (let id = pending.pop(); id !== undefined; id = pending.pop())
    for (let edge = heads[id] ?? -1; edge !== -1; edge = following[edge] ?? -1) {
      const from = edges.at(edge * 2);
      if (can[from]) continue;
      can[from] = 1;
      pending.push(from);
    }
  const found = can.indexOf(0);
  return found < 0 ? undefined : found;
}

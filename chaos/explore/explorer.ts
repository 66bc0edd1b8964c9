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
  /** Number of processes that run the controller at the same time. Each of them believes that it leads. */
  readonly leaders: number;
  /** Maximum number of faults on one path. */
  readonly faults: number;
  /** Maximum number of states; a search that reaches it stops with `unknown`. */
  readonly maxStates: number;
  /** Maximum duration in milliseconds, default none; a search that reaches it stops with `unknown`. */
  readonly maxMs?: number;
  /**
   * Returns the used share of the available memory, from 0 to 1. The search stops at `NEARLY_ALL`. Default 0.
   */
  readonly memoryUsed?: () => number;
  /** Clock that measures the duration. */
  readonly clock: Clock;
  /** Checks the executions. If it throws `HiddenMemoryError`, the verdict is `unknown`. Default no check. */
  readonly verify?: Verify;
  /** Called after every 1,024 states. */
  readonly onProgress?: (progress: Progress) => void;
}

/** State of a running search. */
export interface Progress {
  readonly states: number;
  /** Number of states that have not been expanded yet. */
  readonly waiting: number;
  readonly depth: number;
  readonly ms: number;
}

/** Outcome of an exploration. `unknown` means that a bound was reached, so the exploration proves nothing. */
export type Exploration = Figures &
  (
    | { readonly verdict: 'pass' }
    | { readonly verdict: 'fail'; readonly violation: Violation; readonly trace: readonly TraceStep[] }
    | { readonly verdict: 'unknown'; readonly because: string }
  );

export interface Figures {
  readonly states: number;
  readonly steps: number;
  /** Maximum length of the shortest paths to all states. */
  readonly depth: number;
  readonly ms: number;
  /** Hash of the graph. It is equal for the same controller, workload and bounds. */
  readonly hash: string;
  /** Hash of the contents of all states. Graphs of the same shape may differ in this hash. */
  readonly contents: string;
  /** Total number of characters of the parts that states share. */
  readonly characters: number;
  readonly parts: number;
  /**
   * Number of different quiescent stores, without versions. They are the final results of all choices of the
   * workload.
   */
  readonly ends: number;
  /** Number of final results that occur only with a fault. If it is 0, faults do not change the results. */
  readonly faultyEnds: number;
}

/**
 * Share of the memory at which the search stops. A process that uses up its memory would exit without a
 * message.
 */
const NEARLY_ALL = 0.92;

/**
 * Visits all reachable states and stops at the first violation.
 *
 * States are visited in ascending order of faults, then of distance. Each state is expanded once, with the
 * maximum number of remaining faults: with fewer remaining faults, there is no additional behaviour.
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
  /** Steps that need neither a user nor the passage of time, as pairs of states. */
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

/**
 * Returns the nearest state from which no path leads to one of `goals`, found by one backward search;
 * undefined if there is none.
 */
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

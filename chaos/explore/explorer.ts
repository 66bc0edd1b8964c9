import type { Clock } from '../../base/clock/clock.ts';
import { createFrontier } from './frontier.ts';
import { createEnds, createGraphHash } from './graph-figures.ts';
import { createNumberList } from './state-table.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import { type Steps, knownStepsFrom } from './steps.ts';
import { type TraceStep, traceTo } from './trace.ts';
import { createWorldRows } from './world-rows.ts';
import type { World } from './world.ts';

export interface ExploreOptions {
  readonly steps: Steps;
  /** Processes that run the controller at the same time, each thinking that it alone does. */
  readonly leaders: number;
  /** How many faults strike on one way at most. */
  readonly faults: number;
  /** States after which it is given up. */
  readonly maxStates: number;
  /** Milliseconds after which it is given up. Default none. */
  readonly maxMs?: number;
  /** How much of the memory there is has been used up, 0 to 1; it is given up when little is left. Default never. */
  readonly memoryUsed?: () => number;
  /** For the time it takes. */
  readonly clock: Clock;
  /** Told now and then. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly states: number;
  /** States that wait to be looked at. */
  readonly waiting: number;
  readonly depth: number;
  readonly ms: number;
}

/** How an exploration ended. `unknown` is what it is when a bound was hit: never a pass. */
export type Exploration = Figures &
  (
    | { readonly verdict: 'pass' }
    | { readonly verdict: 'fail'; readonly violation: Violation; readonly trace: readonly TraceStep[] }
    | { readonly verdict: 'unknown'; readonly because: string }
  );

export interface Figures {
  readonly states: number;
  readonly steps: number;
  /** Of the longest of the shortest ways to a state. */
  readonly depth: number;
  readonly ms: number;
  /** The same for the same controller, workload and bounds. */
  readonly hash: string;
  /** A hash of what the states say: two searches of the same hash may go the same ways to other objects. */
  readonly contents: string;
  /** Characters of the distinct parts that the states are made of. */
  readonly characters: number;
  readonly parts: number;
  /** Distinct stores that it has come to rest with, versions aside: the ends that the workload's choices lead to. */
  readonly ends: number;
  /** Those of them that nothing but a fault leads to: where there are none, the end does not tell what went wrong (G8). */
  readonly faultyEnds: number;
}

/** A process whose memory is used up ends without a word. */
const NEARLY_ALL = 0.92;

/**
 * Looks at every state that can come about, and at the first that is wrong: those without a fault first, then those with
 * one, and so on, the nearest first among these. A state is looked at once, with as many faults to come as it can have:
 * with fewer, no more can follow.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { steps, clock, maxStates, maxMs = Infinity, memoryUsed = () => 0 } = options;
  const startedMs = clock.monotonic();
  const initial = steps.initial(options.leaders);
  const rows = createWorldRows(initial.processes.length);
  const states = createFrontier(rows.width, options.faults);
  /** Steps that happen by themselves and in no time: from, to. */
  const edges = createNumberList();
  const idle = new Set<number>();
  const ends = createEnds();
  const graph = createGraphHash();

  const stepsFrom = (world: World, faults: number): Promise<Step[]> =>
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
    return failed({ invariant: 'generic/G6', how: 'from here nothing ever comes to rest' }, stuck, false);
  return { verdict: 'pass', ...figures() };
}

/** The nearest state from which no way leads to one of `goals`: one backward search. */
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

import type { Clock } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import { createFrontier } from './frontier.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import { type Steps, knownStepsFrom } from './steps.ts';
import { type Verify, withVerification } from './hidden-memory.ts';
import { type TraceStep, traceTo } from './trace.ts';
import { type WorldRows, createWorldRows } from './world-rows.ts';
import type { ModelWorld } from './world.ts';

export interface WalkOptions {
  readonly steps: Steps;
  readonly leaders: number;
  /** Maximum number of faults in one walk. */
  readonly faults: number;
  readonly walks: number;
  /** Maximum number of steps in one walk. */
  readonly longest: number;
  /** Maximum number of visited states in memory. When it is reached, all visited states are discarded. */
  readonly maxStates: number;
  /** Maximum time in milliseconds after which no further walk starts; default none. */
  readonly maxMs?: number;
  readonly random: Random;
  readonly clock: Clock;
  /**
   * Checks the executions. If it throws `HiddenMemoryError`, the result is only `because`. Default no check.
   */
  readonly verify?: Verify;
}

/** Result of random walks. Walks are a sample, so undetected behaviour may exist. */
export interface Walked {
  readonly walks: number;
  readonly steps: number;
  /** Number of states that were expanded. A state counts again after the visited states were discarded. */
  readonly looked: number;
  readonly ms: number;
  /** Number of walks that violated each invariant. */
  readonly broken: ReadonlyMap<string, number>;
  /** Reason why the walks prove nothing, not even a violation. Undefined if there is no such reason. */
  readonly because?: string;
  /** The violation with the shortest path. */
  readonly nearest?: { readonly violation: Violation; readonly trace: readonly TraceStep[] };
}

/**
 * Walks at random through the states that an exploration would visit.
 *
 * Each next step is equally likely, whatever its duration. A walk ends at the first violation or after
 * `longest` steps. The steps of a state are computed when a walk first reaches the state.
 */
export async function walk(options: WalkOptions): Promise<Walked> {
  const { walks, maxStates, maxMs = Infinity, clock } = options;
  const startedMs = clock.monotonic();
  const initial = options.steps.initial(options.leaders);
  const rows = createWorldRows(initial.processes.length);
  const broken = new Map<string, number>();
  let map = createMap(options, rows, initial);
  let [walked, steps, looked] = [0, 0, 0];
  const takeWalks = async (): Promise<Wrong | undefined> => {
    let nearest: Wrong | undefined;
    for (; walked < walks && clock.monotonic() - startedMs < maxMs; walked++) {
      if (map.size > maxStates) map = createMap(options, rows, initial);
      const before = map.looked;
      const { wrong, length } = await walkOnce(map, options);
      steps += length;
      looked += map.looked - before;
      if (wrong === undefined) continue;
      const { invariant } = wrong.violation;
      broken.set(invariant, (broken.get(invariant) ?? 0) + 1);
      if (wrong.steps < (nearest?.steps ?? Infinity)) nearest = wrong;
    }
    return nearest;
  };
  const result = await withVerification(takeWalks, (wrong) => (wrong ? 'fail' : 'pass'), options.verify);
  const ms = clock.monotonic() - startedMs;
  const figures = { walks: walked, steps, looked, ms, broken };
  if ('because' in result) return { ...figures, because: result.because };
  return { ...figures, ...(result.found && { nearest: await result.found.tell() }) };
}

async function walkOnce(
  map: StateMap,
  { random, longest }: WalkOptions,
): Promise<{ readonly length: number; readonly wrong?: Wrong }> {
  let [at, struck] = [0, 0];
  for (let length = 0; length < longest; length++) {
    const ways = map.known(at, struck) ?? (await map.look(at, struck));
    const way = ways[random.int(ways.length)];
    // The walk ends, because no further step is possible.
    if (way === undefined) return { length };
    if (way < 0) return { length, wrong: map.wrongAt(way) };
    struck += way & FAULT;
    at = way >> 1;
  }
  return { length: longest };
}

/** A violation that a walk found. */
interface Wrong {
  readonly violation: Violation;
  /** Length of the shortest known path to the violation. */
  readonly steps: number;
  tell(): Promise<{ readonly violation: Violation; readonly trace: readonly TraceStep[] }>;
}

/**
 * Targets of the steps of a state: twice the number of the target, plus `FAULT` if the step is a fault.
 * Negative numbers denote violations.
 */
type Ways = Int32Array;
const FAULT = 1;

/** States that walks have reached. The initial state has the number 0. */
interface StateMap {
  readonly size: number;
  /** Number of expanded states. */
  readonly looked: number;
  /** Returns the targets of a state after `struck` faults. Undefined if they have not been computed. */
  known(id: number, struck: number): Ways | undefined;
  look(id: number, struck: number): Promise<Ways>;
  wrongAt(way: number): Wrong;
}

function createMap({ steps, faults }: WalkOptions, rows: WorldRows, initial: ModelWorld): StateMap {
  const states = createFrontier(rows.width, faults);
  const known = Array.from({ length: faults + 1 }, () => new Map<number, Ways>());
  const wrongs: Wrong[] = [];
  let looked = 0;
  const stepsFrom = (world: ModelWorld, struck: number): Promise<Step[]> =>
    knownStepsFrom(steps, world, faults - struck);
  const wayToWrong = (violation: Violation, id: number, isStep: boolean): number => {
    const tell = async () => ({
      violation,
      trace: await traceTo({ initial, rows, states, stepsFrom }, id, isStep ? violation : undefined),
    });
    wrongs.push({ violation, steps: states.wayTo(id).length, tell });
    return -wrongs.length;
  };
  const waysFrom = async (id: number, struck: number): Promise<readonly number[]> => {
    const world = rows.worldOf(states.row(id));
    const unmet = steps.isAtRest(world) ? steps.unmet(world) : undefined;
    if (unmet) return [wayToWrong(unmet, id, false)];
    return (await stepsFrom(world, struck)).map((step) => {
      if (step.broken) return wayToWrong(step.broken, id, true);
      const fault = step.fault ? FAULT : 0;
      return states.enter(rows.rowOf(step.world), id, struck + fault) * 2 + fault;
    });
  };
  states.enter(rows.rowOf(initial), -1, 0);
  return {
    get size() {
      return states.size;
    },
    get looked() {
      return looked;
    },
    known: (id, struck) => known[struck]?.get(id),
    async look(id, struck) {
      looked++;
      const ways = Int32Array.from(await waysFrom(id, struck));
      known[struck]?.set(id, ways);
      return ways;
    },
    wrongAt(way) {
      const wrong = wrongs[-1 - way];
      if (wrong === undefined) throw new Error(`no way ${way}`);
      return wrong;
    },
  };
}

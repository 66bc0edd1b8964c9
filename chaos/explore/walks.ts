import type { Clock } from '../../base/clock/clock.ts';
import type { Random } from '../../base/random/random.ts';
import { createFrontier } from './frontier.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import { type Steps, knownStepsFrom } from './steps.ts';
import { type TraceStep, traceTo } from './trace.ts';
import { type WorldRows, createWorldRows } from './world-rows.ts';
import type { World } from './world.ts';

export interface WalkOptions {
  readonly steps: Steps;
  readonly leaders: number;
  /** How many strike in one walk at most. */
  readonly faults: number;
  readonly walks: number;
  /** Steps of one walk at most. */
  readonly longest: number;
  /** States after which what was seen is forgotten. */
  readonly maxStates: number;
  /** Milliseconds after which no further walk begins. Default none. */
  readonly maxMs?: number;
  readonly random: Random;
  readonly clock: Clock;
}

/** What walks have come by. What they have not found may be there all the same. */
export interface Walked {
  readonly walks: number;
  readonly steps: number;
  /** States that were looked at, each once as long as it is remembered. */
  readonly looked: number;
  readonly ms: number;
  /** How many walks have broken which invariant. */
  readonly broken: ReadonlyMap<string, number>;
  /** Of all that was broken, the nearest to the start. */
  readonly nearest?: { readonly violation: Violation; readonly trace: readonly TraceStep[] };
}

/**
 * Walks by chance through the states that an exploration looks at one by one: each step is one of those that may happen
 * next, each as likely as the others, however long it would take. A walk ends at the first thing that is wrong, or after
 * `longest` steps. Where the steps out of a state lead is worked out when the first walk comes by.
 */
export async function walk(options: WalkOptions): Promise<Walked> {
  const { walks, maxStates, maxMs = Infinity, clock } = options;
  const startedMs = clock.monotonic();
  const initial = options.steps.initial(options.leaders);
  const rows = createWorldRows(initial.processes.length);
  const broken = new Map<string, number>();
  let map = createMap(options, rows, initial);
  let nearest: Wrong | undefined;
  let [walked, steps, looked] = [0, 0, 0];
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
  const ms = clock.monotonic() - startedMs;
  return { walks: walked, steps, looked, ms, broken, ...(nearest && { nearest: await nearest.tell() }) };
}

async function walkOnce(
  map: StateMap,
  { random, longest }: WalkOptions,
): Promise<{ readonly length: number; readonly wrong?: Wrong }> {
  let [at, struck] = [0, 0];
  for (let length = 0; length < longest; length++) {
    const ways = map.known(at, struck) ?? (await map.look(at, struck));
    const way = ways[random.int(ways.length)];
    // Nothing can happen any more.
    if (way === undefined) return { length };
    if (way < 0) return { length, wrong: map.wrongAt(way) };
    struck += way & FAULT;
    at = way >> 1;
  }
  return { length: longest };
}

/** Something that does not hold. */
interface Wrong {
  readonly violation: Violation;
  /** From the start to it, the shortest way that is known. */
  readonly steps: number;
  tell(): Promise<{ readonly violation: Violation; readonly trace: readonly TraceStep[] }>;
}

/**
 * Where steps lead: twice the number of a state, and `FAULT` more where something goes wrong in the step. Below 0 to
 * something that does not hold.
 */
type Ways = Int32Array;
const FAULT = 1;

/** The states that walks came by, the first with number 0. */
interface StateMap {
  readonly size: number;
  /** States whose ways were worked out. */
  readonly looked: number;
  /** The ways out of a state after so many faults, where they were worked out. */
  known(id: number, struck: number): Ways | undefined;
  look(id: number, struck: number): Promise<Ways>;
  wrongAt(way: number): Wrong;
}

function createMap({ steps, faults }: WalkOptions, rows: WorldRows, initial: World): StateMap {
  const states = createFrontier(rows.width, faults);
  const known = Array.from({ length: faults + 1 }, () => new Map<number, Ways>());
  const wrongs: Wrong[] = [];
  let looked = 0;
  const stepsFrom = (world: World, struck: number): Promise<Step[]> =>
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

import type { Draw, Tape } from '../tape/tape.ts';
import { type FaultKind, type FaultName, type FaultPoint, faultKindsAt } from './fault-kinds.ts';

/** Distribution of faults in a random run. A replay uses the recorded choices instead. */
export interface Swarm {
  /** Faults that may occur. */
  readonly faults: readonly FaultName[];
  /** Maximum number of faults of each `Budget`. */
  readonly budget: number;
  /** Probability of a fault at each point where one is possible. */
  readonly odds: Readonly<Record<FaultPoint, number>>;
  /** Probability that a message is delayed. */
  readonly jitter: number;
  /** Probability that a watch lags behind the others; default 0. */
  readonly lag?: number;
  /** Controller on whose requests faults concentrate; default none. */
  readonly focus?: string;
}

/** Fault probabilities of a run without random faults. */
export const NO_ODDS: Swarm['odds'] = { request: 0, event: 0, process: 0, server: 0, command: 0, redis: 0 };

/**
 * Faults that are counted together. Reads are more than everything else and come first, so together they would
 * leave nothing to the others.
 */
export type Budget = 'reads' | 'writes' | 'events' | 'others';

/** Place of a possible fault within its `FaultPoint`. */
export interface FaultPlace {
  /** Factor of the fault probability. */
  readonly weight: number;
  readonly budget: Budget;
}

/** An injected fault. */
export interface Strike {
  readonly step: number;
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
  readonly name: FaultName;
  /** Affected operation, such as `cronjob create batch/jobs`. */
  readonly where: string;
}

export interface Faults {
  /** True while faults may be injected, which is only in the first phase of a run. */
  active: boolean;
  readonly struck: readonly Strike[];
  /**
   * Returns the fault to inject here, one for which `fits` is true. Undefined if no fault is injected.
   */
  strike<Name extends FaultName>(
    point: FaultPoint,
    where: string,
    fits?: (name: FaultName) => boolean,
    place?: FaultPlace,
  ): Name | undefined;
  /** Returns a duration between `shortest` and `longest` in milliseconds, on a logarithmic scale. */
  lasting(what: string, shortest: number, longest: number): number;
  /** Returns the delay of a message in milliseconds, mostly 0. */
  delay(what: string): number;
  /** Returns the time in milliseconds by which all events of a new watch are late, mostly 0. */
  lag(what: string): number;
  /** Returns one of the values in `of`. A run without faults gets the first one. */
  pick<T>(what: string, of: readonly T[]): T | undefined;
}

/** Possible message delays in virtual milliseconds: none, or enough for others to overtake. */
export const DELAYS_MS = [0, 0.3, 1, 4, 15, 60, 250, 1_000];
/** Shortest lag of a watch, as a position in `DELAYS_MS`. Others are too short to change a decision. */
const FIRST_LAG = DELAYS_MS.indexOf(60);
/** Maximum to which a weight raises a fault probability. Low enough that some attempts succeed. */
const HIGHEST = 0.3;
/** Fault probability for requests of the focused controller. */
const FOCUSED = 0.15;
/** Divisor of the fault probability for all other requests in a run with a focus, so that the budget lasts. */
const ELSEWHERE = 3;
/** Number of steps between the shortest and the longest duration. */
export const LASTING_STEPS = 6;

export const createFaults = (
  tape: Tape,
  swarm: Swarm,
  now: () => { readonly step: number; readonly atMs: number },
): Faults => new TapedFaults(tape, swarm, now);

const any = (): boolean => true;

const usual = (budget: Budget): FaultPlace => ({ weight: 1, budget });

/** Places that callers do not specify, by point. */
const USUAL_PLACES: Readonly<Record<FaultPoint, FaultPlace>> = {
  request: usual('writes'),
  event: usual('events'),
  process: usual('others'),
  server: usual('others'),
  command: usual('others'),
  redis: usual('others'),
};

/**
 * Returns a function that formats choice labels and caches them: runs make thousands of choices with about a
 * hundred labels.
 */
function createLabels(kind: string): (what: string) => string {
  const labels = new Map<string, string>();
  return (what) => {
    let label = labels.get(what);
    if (label === undefined) labels.set(what, (label = `${kind} ${what}`));
    return label;
  };
}

class TapedFaults implements Faults {
  readonly struck: Strike[] = [];
  active = true;
  readonly #tape: Tape;
  readonly #swarm: Swarm;
  readonly #now: () => { readonly step: number; readonly atMs: number };
  readonly #enabled: ReadonlySet<FaultName>;
  readonly #faultAt = createLabels('fault');
  readonly #delayOf = createLabels('delay');
  readonly #lagOf = createLabels('lag');
  /** Numbers of injected faults by budget. */
  readonly #counts: Record<Budget, number> = { reads: 0, writes: 0, events: 0, others: 0 };

  constructor(tape: Tape, swarm: Swarm, now: () => { readonly step: number; readonly atMs: number }) {
    this.#tape = tape;
    this.#swarm = swarm;
    this.#now = now;
    this.#enabled = new Set(swarm.faults);
  }

  strike<Name extends FaultName>(
    point: FaultPoint,
    where: string,
    fits: (name: FaultName) => boolean = any,
    place: FaultPlace = USUAL_PLACES[point],
  ): Name | undefined {
    if (!this.active) return undefined;
    const kinds = faultKindsAt(point);
    const usualOdds = this.#oddsOf(point, where);
    const odds = Math.min(Math.max(HIGHEST, usualOdds), usualOdds * place.weight);
    const draw = this.#draw(kinds, odds, fits, place.budget);
    const took = this.#tape.choose(this.#faultAt(where), kinds.length + 1, draw);
    const name = kinds[took - 1]?.name;
    if (name === undefined || !fits(name)) return undefined;
    this.struck.push({ ...this.#now(), name, where });
    this.#counts[place.budget]++;
    // All kinds in `kinds` belong to `point`, and `Name` is the type of their names.
    return name as Name;
  }

  lasting(what: string, shortest: number, longest: number): number {
    const step = this.#tape.choose(`lasting ${what}`, LASTING_STEPS + 1);
    return shortest * (longest / shortest) ** (step / LASTING_STEPS);
  }

  delay(what: string): number {
    if (!this.active) return 0;
    const took = this.#tape.choose(this.#delayOf(what), DELAYS_MS.length, (random, n) =>
      random.next() < this.#swarm.jitter ? random.int(n) : 0,
    );
    return DELAYS_MS[took] ?? 0;
  }

  lag(what: string): number {
    const { lag = 0 } = this.#swarm;
    if (!this.active) return 0;
    const took = this.#tape.choose(this.#lagOf(what), DELAYS_MS.length, (random, n) =>
      random.next() < lag ? FIRST_LAG + random.int(n - FIRST_LAG) : 0,
    );
    return DELAYS_MS[took] ?? 0;
  }

  pick<T>(what: string, of: readonly T[]): T | undefined {
    return of.length === 0 ? undefined : of[this.#tape.choose(`pick ${what}`, of.length)];
  }

  #oddsOf(point: FaultPoint, where: string): number {
    const { odds, focus } = this.#swarm;
    if (focus === undefined) return odds[point];
    if (point !== 'request') return odds[point];
    return where.startsWith(`${focus} `) ? FOCUSED : odds[point] / ELSEWHERE;
  }

  #draw(kinds: readonly FaultKind[], odds: number, fits: (name: FaultName) => boolean, budget: Budget): Draw {
    return (random) => {
      if (this.#counts[budget] >= this.#swarm.budget || random.next() >= odds) return 0;
      const possible = kinds.flatMap(({ name, weight }, i) =>
        this.#enabled.has(name) && fits(name) ? Array.from({ length: weight }, () => i + 1) : [],
      );
      return possible[random.int(possible.length)] ?? 0;
    };
  }
}

import type { Draw, Tape } from '../tape/tape.ts';
import { type FaultKind, type FaultName, type FaultPoint, faultKindsAt } from './fault-kinds.ts';

/** Distribution of faults in a random run. A replay uses the recorded choices instead. */
export interface Swarm {
  /** Faults that may occur. */
  readonly faults: readonly FaultName[];
  /** Maximum number of faults. */
  readonly budget: number;
  /** Probability of a fault at each point where one is possible. */
  readonly odds: Readonly<Record<FaultPoint, number>>;
  /** Probability that a message is delayed. */
  readonly jitter: number;
  /** Controller on whose requests faults concentrate; default none. */
  readonly focus?: string;
}

/** Fault probabilities of a run without random faults. */
export const NO_ODDS: Swarm['odds'] = { request: 0, event: 0, process: 0, server: 0, command: 0, redis: 0 };

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
  /** Returns the fault to inject here, one for which `fits` is true. Undefined if no fault is injected. */
  strike<Name extends FaultName>(
    point: FaultPoint,
    where: string,
    fits?: (name: FaultName) => boolean,
  ): Name | undefined;
  /** Returns a duration between `shortest` and `longest` in milliseconds, on a logarithmic scale. */
  lasting(what: string, shortest: number, longest: number): number;
  /** Returns the delay of a message in milliseconds, mostly 0. */
  delay(what: string): number;
  /** Returns one of the values in `of`. A run without faults gets the first one. */
  pick<T>(what: string, of: readonly T[]): T | undefined;
}

/** Possible message delays in virtual milliseconds: none, or enough for others to overtake. */
export const DELAYS_MS = [0, 0.3, 1, 4, 15, 60, 250, 1_000];
/** Fault probability for requests of the focused controller. Low enough that some attempts succeed. */
const FOCUSED = 0.25;
/** Divisor of all other fault probabilities in a run with a focus, so that the budget lasts. */
const ELSEWHERE = 8;
/** Number of steps between the shortest and the longest duration. */
export const LASTING_STEPS = 6;

export const createFaults = (
  tape: Tape,
  swarm: Swarm,
  now: () => { readonly step: number; readonly atMs: number },
): Faults => new TapedFaults(tape, swarm, now);

const any = (): boolean => true;

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
  ): Name | undefined {
    if (!this.active) return undefined;
    const kinds = faultKindsAt(point);
    const draw = this.#draw(kinds, this.#oddsOf(point, where), fits);
    const took = this.#tape.choose(this.#faultAt(where), kinds.length + 1, draw);
    const name = kinds[took - 1]?.name;
    if (name === undefined || !fits(name)) return undefined;
    this.struck.push({ ...this.#now(), name, where });
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

  pick<T>(what: string, of: readonly T[]): T | undefined {
    return of.length === 0 ? undefined : of[this.#tape.choose(`pick ${what}`, of.length)];
  }

  #oddsOf(point: FaultPoint, where: string): number {
    const { odds, focus } = this.#swarm;
    if (focus === undefined) return odds[point];
    return point === 'request' && where.startsWith(`${focus} `) ? FOCUSED : odds[point] / ELSEWHERE;
  }

  #draw(kinds: readonly FaultKind[], odds: number, fits: (name: FaultName) => boolean): Draw {
    return (random) => {
      if (this.struck.length >= this.#swarm.budget || random.next() >= odds) return 0;
      const possible = kinds.flatMap(({ name }, i) => (this.#enabled.has(name) && fits(name) ? [i + 1] : []));
      return possible[random.int(possible.length)] ?? 0;
    };
  }
}

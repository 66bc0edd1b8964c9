import type { Draw, Tape } from '../tape/tape.ts';
import { type FaultKind, type FaultName, type FaultPoint, faultKindsAt } from './fault-kinds.ts';

/** How a run by chance chooses; a replay takes the same choices from its record. */
export interface Swarm {
  /** Which faults strike at all. */
  readonly faults: readonly FaultName[];
  /** How many strike at most. */
  readonly budget: number;
  /** How probable a fault is at a place where one can strike. */
  readonly odds: Readonly<Record<FaultPoint, number>>;
  /** How probable it is that a message takes a while. */
  readonly jitter: number;
  /** Whose requests are what faults are after, rather than all there is; default nobody's. */
  readonly focus?: string;
}

/** Nothing strikes by chance. */
export const NO_ODDS: Swarm['odds'] = { request: 0, event: 0, process: 0, server: 0, command: 0, redis: 0 };

/** A fault that struck. */
export interface Strike {
  readonly step: number;
  /** Since the start, virtual milliseconds. */
  readonly atMs: number;
  readonly name: FaultName;
  /** What it struck: `cronjob create batch/jobs`. */
  readonly where: string;
}

export interface Faults {
  /** Whether they strike: the first phase of a run. */
  active: boolean;
  readonly struck: readonly Strike[];
  /** The fault that strikes here, one of those that `fits`; undefined for none. */
  strike<Name extends FaultName>(
    point: FaultPoint,
    where: string,
    fits?: (name: FaultName) => boolean,
  ): Name | undefined;
  /** How long something lasts, milliseconds: from `shortest` about to `longest`. */
  lasting(what: string, shortest: number, longest: number): number;
  /** What a message takes, milliseconds; mostly nothing. */
  delay(what: string): number;
  /** One of several, the first where all is calm. */
  pick<T>(what: string, of: readonly T[]): T | undefined;
}

/** Virtual milliseconds a message takes: none, or enough to be overtaken by others. */
const DELAYS_MS = [0, 0.3, 1, 4, 15, 60, 250, 1_000];
/** How probable a fault is at each request of the controller that faults are after: some of its attempts are to succeed. */
const FOCUSED = 0.25;
/** So many times less probable is everything else then, or nothing would be left to strike. */
const ELSEWHERE = 8;
/** Steps on the way from the shortest to the longest. */
const LASTING_STEPS = 6;

export const createFaults = (
  tape: Tape,
  swarm: Swarm,
  now: () => { readonly step: number; readonly atMs: number },
): Faults => new TapedFaults(tape, swarm, now);

const any = (): boolean => true;

/** What choices of a kind are called, each text once: they are made by the thousand, of a hundred names. */
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
    // `kinds` are those of the point, whose names `Name` is.
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

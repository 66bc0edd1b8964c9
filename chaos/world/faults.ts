import type { Random } from '../../base/random/random.ts';
import type { Tape } from '../tape/tape.ts';
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
}

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
/** Steps on the way from the shortest to the longest. */
const LASTING_STEPS = 6;

export function createFaults(
  tape: Tape,
  swarm: Swarm,
  now: () => { readonly step: number; readonly atMs: number },
): Faults {
  const enabled = new Set<FaultName>(swarm.faults);
  const struck: Strike[] = [];
  let active = true;

  const draw =
    (kinds: readonly FaultKind[], odds: number, fits: (name: FaultName) => boolean) =>
    (random: Random): number => {
      if (struck.length >= swarm.budget || random.next() >= odds) return 0;
      const possible = kinds.flatMap(({ name }, i) => (enabled.has(name) && fits(name) ? [i + 1] : []));
      return possible[random.int(possible.length)] ?? 0;
    };
  return {
    get active() {
      return active;
    },
    set active(value) {
      active = value;
    },
    struck,
    strike<Name extends FaultName>(
      point: FaultPoint,
      where: string,
      fits: (name: FaultName) => boolean = () => true,
    ) {
      if (!active) return undefined;
      const kinds = faultKindsAt(point);
      const took = tape.choose(`fault ${where}`, kinds.length + 1, draw(kinds, swarm.odds[point], fits));
      const name = kinds[took - 1]?.name;
      if (name === undefined || !fits(name)) return undefined;
      struck.push({ ...now(), name, where });
      // `kinds` are those of the point, whose names `Name` is.
      return name as Name;
    },
    lasting(what, shortest, longest) {
      const step = tape.choose(`lasting ${what}`, LASTING_STEPS + 1);
      return shortest * (longest / shortest) ** (step / LASTING_STEPS);
    },
    delay(what) {
      if (!active) return 0;
      const took = tape.choose(`delay ${what}`, DELAYS_MS.length, (random, n) =>
        random.next() < swarm.jitter ? random.int(n) : 0,
      );
      return DELAYS_MS[took] ?? 0;
    },
    pick: (what, of) => (of.length === 0 ? undefined : of[tape.choose(`pick ${what}`, of.length)]),
  };
}

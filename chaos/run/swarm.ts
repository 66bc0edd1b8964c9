import type { Product } from '../../api/vocabulary/vocabulary.ts';
import { vocabularyOf } from '../../api/vocabulary/vocabulary.ts';
import type { Random } from '../../base/random/random.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { generateWorkload } from '../workload/generate.ts';
import { neededResources } from '../workload/needed-resources.ts';
import { oneOf, some } from '../workload/parts.ts';
import type { FaultName } from '../world/fault-kinds.ts';
import type { Swarm } from '../world/faults.ts';
import type { Action } from '../world/user.ts';
import type { Scenario } from './run.ts';

/** What all seeds of a campaign have in common. */
export interface Plan {
  readonly product: Product;
  /** As `--controllers` takes them. */
  readonly selection: readonly string[];
  /** Names of the controllers that the selection means. */
  readonly controllers: readonly string[];
  /** Faults that may strike at all. */
  readonly faults: readonly FaultName[];
  /** At most this many strike in one run. */
  readonly budget: number;
  /** Virtual time of a run, the calm third at its end included, milliseconds; a calm that is too short for that is longer. */
  readonly lastsMs: number;
  /** Default one that is made for the controllers, another for each seed. */
  readonly workload?: readonly Action[];
  /**
   * Whether the API server serves every kind in every run, for controllers of somebody else's. Default in one of eight;
   * in the others those that the program's own controllers and the workload need.
   */
  readonly everyKind?: boolean;
  /** Whether two controller managers share their keys, over a Redis that faults strike too; default not. */
  readonly sharedKeys?: boolean;
}

/** What one seed means: everything but the choices, which it draws from the tape. */
export interface Seeded {
  readonly scenario: Scenario;
  readonly swarm: Swarm;
  /** Draws the choices. */
  readonly random: Random;
}

/** Starts of runs: an ordinary day, and before the clocks change in Europe and America. */
const STARTS = [
  Date.UTC(2026, 0, 1),
  Date.UTC(2026, 0, 1, 23, 30),
  Date.UTC(2026, 2, 29, 0, 40),
  Date.UTC(2026, 9, 25, 0, 40),
  Date.UTC(2026, 2, 8, 6, 40),
  Date.UTC(2026, 10, 1, 5, 40),
];

/** So that a run does not end as something falls due: schedules have whole minutes, and a run half of one more. */
const MINUTE_MS = 60_000;
const SETTLING_MS = 30_000;
/** What a fault has made the controllers miss they find when they look again by themselves, within this time. */
const LEAST_CALM_MS = 20 * 60_000;

/** How long faults strike in a run, and how long nothing fails after that. */
function phasesOf(lastsMs: number): Pick<Scenario, 'faultsMs' | 'calmMs'> {
  const faultsMs = Math.round((lastsMs * 2) / 3);
  const endsMs = Math.max(lastsMs, faultsMs + LEAST_CALM_MS);
  return { faultsMs, calmMs: Math.ceil(endsMs / MINUTE_MS) * MINUTE_MS + SETTLING_MS - faultsMs };
}

/**
 * Every seed is a run of another kind: some faults do not strike in it, those that do are many or few, messages overtake
 * each other or hardly ever do, there are two controller managers or one, all controllers run or, under leases, a few. In
 * every other run the requests of one controller are what faults are after: among all the requests of all of them those of one that
 * has little to do would hardly ever be struck.
 */
export function seeded(seed: number, plan: Plan): Seeded {
  const random = createSeededRandom(seed * 2 + 1);
  const startMs = oneOf(random, STARTS);
  const { sharedKeys = false } = plan;
  const managers = sharedKeys ? sharingOf(seed) : managersOf(seed);
  const isOwn = plan.workload !== undefined || plan.everyKind === true;
  const isFew = (managers.leases === true || sharedKeys) && !isOwn;
  const few = isFew ? some(random, plan.controllers, FEW) : undefined;
  const { faultsMs, calmMs } = phasesOf(plan.lastsMs);
  const making = {
    random,
    vocabulary: vocabularyOf(plan.product),
    startMs,
    untilMs: Math.round(faultsMs * 0.9),
    endsMs: faultsMs + calmMs,
  };
  const controllers = few ?? plan.controllers;
  // Under leases it is processes that are to fall.
  const focus = managers.leases !== true && random.int(2) === 0 ? oneOf(random, controllers) : undefined;
  const workload = plan.workload ?? generateWorkload(controllers, making, focus);
  const share = oneOf(random, [0.2, 0.5, 1]);
  const faults = plan.faults.filter(
    (name) => random.next() < share || (managers.leases === true && UNSEATING.has(name)),
  );
  const afterwards = random.int(4);
  return {
    scenario: {
      product: plan.product,
      seed,
      startMs,
      controllers: few ?? plan.selection,
      ...managers,
      ...(sharedKeys && { sharedKeys }),
      // Rarely: a virtual hour of them takes as long as several without.
      bookmarks: random.int(32) === 0,
      // Nothing reads Events, so what strikes them strikes nothing else.
      events: random.int(4) === 0,
      faultsMs,
      calmMs,
      restarts: afterwards === 0,
      repeats: afterwards === 1,
      ...(plan.everyKind !== true &&
        random.int(8) > 0 && { resources: neededResources(workload, managers.leases) }),
      workload,
      mayStrike: faults,
    },
    swarm: {
      faults,
      budget: Math.min(plan.budget, 1 + random.int(plan.budget + 1)),
      odds: managers.leases === true ? LED_ODDS : oddsOf(random),
      jitter: oneOf(random, [0, 0.02, 0.2]),
      ...(focus !== undefined && { focus }),
    },
    random: createSeededRandom(seed * 2),
  };
}

const oddsOf = (random: Random): Swarm['odds'] => ({
  request: oneOf(random, [0.005, 0.025, 0.1]),
  event: oneOf(random, [0.001, 0.006, 0.04]),
  process: oneOf(random, [0.01, 0.05]),
  server: oneOf(random, [0.005, 0.03]),
  ...REDIS_ODDS,
});

/** There are some thousand commands an hour, and a look at the whole of Redis every half minute. */
const REDIS_ODDS = { command: 0.001, redis: 0.02 };

/** Under leases: what strikes is to strike processes, for requests would take all there may be before a leader falls. */
const LED_ODDS: Swarm['odds'] = { request: 0.003, event: 0.001, process: 0.05, server: 0.005, ...REDIS_ODDS };

/** What a leader does not outlast in his office: somebody else must take it. */
const UNSEATING: ReadonlySet<FaultName> = new Set(['crash', 'restart-storm']);

/** So many seeds in a row have each number of managers equally often: what is rare comes up in any hundred. */
const ROUND = 64;
/** Has no divisor in common with a round, and so goes through all of it. */
const STRIDE = 23;

/** One manager mostly; now and then two unknown to each other, more rarely two that take turns under leases. */
function managersOf(seed: number): Pick<Scenario, 'managers' | 'leases'> {
  const place = (seed * STRIDE) % ROUND;
  return { managers: place < 9 ? 2 : 1, leases: place < 3 };
}

/** Now and then those controllers that must not run in several processes take turns, the others share their keys. */
const sharingOf = (seed: number): Pick<Scenario, 'managers' | 'leases'> => ({
  managers: 2,
  leases: seed % 4 === 0,
});

/**
 * So many controllers run under leases, or over a Redis: with each come some 100 requests an hour about its lease, or some
 * thousand commands, whatever it does.
 */
const FEW = 4;

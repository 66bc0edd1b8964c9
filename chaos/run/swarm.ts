import { type Product, vocabularyOf } from '../../api/vocabulary/index.ts';
import { type Random, createSeededRandom } from '../../base/random/index.ts';
import { generateWorkload } from '../workload/generate.ts';
import { neededResources } from '../workload/needed-resources.ts';
import { oneOf, some } from '../workload/parts.ts';
import type { FaultName } from '../world/fault-kinds.ts';
import type { Swarm } from '../world/faults.ts';
import type { Action } from '../world/user.ts';
import type { RunScenario } from './run.ts';

/** Settings that all seeds of a campaign share. */
export interface Plan {
  readonly product: Product;
  /** Controller selection in the format of `--controllers`. */
  readonly selection: readonly string[];
  /** Names of the selected controllers. */
  readonly controllers: readonly string[];
  /** Faults that may occur. */
  readonly faults: readonly FaultName[];
  /** Maximum number of faults in one run. */
  readonly budget: number;
  /**
   * Virtual duration of a run in milliseconds. The last third is the calm phase, which is extended to its
   * minimum.
   */
  readonly lastsMs: number;
  /** Actions of the users. By default they are generated for the controllers and the seed. */
  readonly workload?: readonly Action[];
  /**
   * True if the API server serves every kind in every run, which controllers of a user's module may need.
   *
   * By default, one run in eight serves every kind. The other runs serve the kinds that the built-in
   * controllers and the workload need.
   */
  readonly everyKind?: boolean;
  /** True if two controller managers share keys over a Redis with faults; default false. */
  readonly sharedKeys?: boolean;
  /**
   * One in this many seeds is also run without faults and compared; 0 for none, the default. Seeds with two
   * managers are never compared, because two managers act in another order in every run.
   */
  readonly comparedEvery?: number;
}

/** Everything that a seed determines, except the choices on the tape. */
export interface Seeded {
  readonly scenario: RunScenario;
  readonly swarm: Swarm;
  /** Source of the choices on the tape. */
  readonly random: Random;
  /** Features of the generated workload. */
  readonly features: readonly string[];
}

/** Start times: ordinary days, and times just before daylight-saving changes in Europe and America. */
const STARTS = [
  Date.UTC(2026, 0, 1),
  Date.UTC(2026, 0, 1, 23, 30),
  Date.UTC(2026, 2, 29, 0, 40),
  Date.UTC(2026, 9, 25, 0, 40),
  Date.UTC(2026, 2, 8, 6, 40),
  Date.UTC(2026, 10, 1, 5, 40),
];

/** Half a minute in addition to full minutes, so that no run ends when a schedule is due. */
const MINUTE_MS = 60_000;
const SETTLING_MS = 30_000;
/**
 * Minimum duration of the calm phase in milliseconds. In this time, controllers resync and repair what they
 * missed because of faults.
 */
const LEAST_CALM_MS = 20 * 60_000;

/** Returns the durations of the phase with faults and of the calm phase, in milliseconds. */
function phasesOf(lastsMs: number): Pick<RunScenario, 'faultsMs' | 'calmMs'> {
  const faultsMs = Math.round((lastsMs * 2) / 3);
  const endsMs = Math.max(lastsMs, faultsMs + LEAST_CALM_MS);
  return { faultsMs, calmMs: Math.ceil(endsMs / MINUTE_MS) * MINUTE_MS + SETTLING_MS - faultsMs };
}

/**
 * Derives a run from a seed.
 *
 * Seeds vary the enabled faults and their frequency, the reordering of messages, the number of managers, and
 * the set of controllers under leases. Every other run focuses the faults on one controller, because a
 * controller with few requests would otherwise rarely get a fault.
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
  // Under leases, faults concentrate on processes and not on one controller.
  const focus = managers.leases !== true && random.int(2) === 0 ? oneOf(random, controllers) : undefined;
  const drawn = plan.workload === undefined ? generateWorkload(controllers, making, focus) : undefined;
  const workload = drawn?.actions ?? plan.workload ?? [];
  const share = oneOf(random, [0.3, 0.6, 1]);
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
      // Rarely true, because bookmarks make a virtual hour several times slower.
      bookmarks: random.int(32) === 0,
      // Rarely true, because no controller reads Events, so their faults have no further effect.
      events: random.int(4) === 0,
      faultsMs,
      calmMs,
      restarts: afterwards === 0,
      repeats: afterwards === 1,
      ...(isCompared(seed, plan) && managers.managers === 1 && { compared: true }),
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
      lag: oneOf(random, [0.2, 0.5, 0.7]),
      ...(focus !== undefined && { focus }),
    },
    random: createSeededRandom(seed * 2),
    features: [...(drawn?.features ?? [])],
  };
}

const isCompared = (seed: number, { comparedEvery = 0 }: Plan): boolean =>
  comparedEvery > 0 && seed % comparedEvery === 0;

const oddsOf = (random: Random): Swarm['odds'] => ({
  request: oneOf(random, [0.02, 0.06, 0.15]),
  event: oneOf(random, [0.004, 0.015, 0.06]),
  process: oneOf(random, [0.005, 0.03]),
  server: oneOf(random, [0.005, 0.03]),
  ...REDIS_ODDS,
});

/**
 * Fault probabilities for Redis. An hour has about 1,000 commands, and a fault of a process is possible every
 * 30 s.
 */
const REDIS_ODDS = { command: 0.001, redis: 0.02 };

/**
 * Fault probabilities under leases. Faults concentrate on processes, because otherwise requests would use up
 * the budget before a leader fails.
 */
const LED_ODDS: Swarm['odds'] = { request: 0.003, event: 0.001, process: 0.05, server: 0.005, ...REDIS_ODDS };

/** Faults that cause a change of leader. */
const UNSEATING: ReadonlySet<FaultName> = new Set(['crash', 'restart-storm']);

/**
 * Number of consecutive seeds in which each number of managers occurs equally often, so that rare cases occur
 * in any hundred seeds.
 */
const ROUND = 64;
/** Coprime to `ROUND`, so that multiples of this number visit every place of a round. */
const STRIDE = 23;

/** Returns one manager for most seeds, two without leases for some, and two with leases for a few. */
function managersOf(seed: number): Pick<RunScenario, 'managers' | 'leases'> {
  const place = (seed * STRIDE) % ROUND;
  return { managers: place < 9 ? 2 : 1, leases: place < 3 };
}

/** Returns two managers that share keys. In every fourth seed, controllers that require a lease use one. */
const sharingOf = (seed: number): Pick<RunScenario, 'managers' | 'leases'> => ({
  managers: 2,
  leases: seed % 4 === 0,
});

/**
 * Number of controllers under leases or with shared keys. Each adds about 100 lease requests or 1,000
 * commands per hour.
 */
const FEW = 4;

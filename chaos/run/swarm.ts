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
   * Virtual duration of a run in milliseconds, including the calm third at its end. A calm phase shorter than
   * the minimum is extended.
   */
  readonly lastsMs: number;
  /** Workload; default one generated for the controllers and the seed. */
  readonly workload?: readonly Action[];
  /**
   * True if the API server serves every kind in every run, as foreign controllers may need.
   *
   * By default, one run in eight does; the others serve the kinds that the built-in controllers and the
   * workload need.
   */
  readonly everyKind?: boolean;
  /** True if two controller managers share keys over a Redis with faults; default false. */
  readonly sharedKeys?: boolean;
  /**
   * One in this many seeds is also run without faults and compared; 0 for none. Seeds with two managers never
   * are, because these act in another order in every run. Default 0.
   */
  readonly comparedEvery?: number;
}

/** Meaning of a seed, except for the choices on the tape. */
export interface Seeded {
  readonly scenario: RunScenario;
  readonly swarm: Swarm;
  /** Source of the choices. */
  readonly random: Random;
  /** Features of the generated workload. */
  readonly features: readonly string[];
}

/** Start times: ordinary days, and just before daylight-saving changes in Europe and America. */
const STARTS = [
  Date.UTC(2026, 0, 1),
  Date.UTC(2026, 0, 1, 23, 30),
  Date.UTC(2026, 2, 29, 0, 40),
  Date.UTC(2026, 9, 25, 0, 40),
  Date.UTC(2026, 2, 8, 6, 40),
  Date.UTC(2026, 10, 1, 5, 40),
];

/** Half a minute more than full minutes, so that no run ends when a schedule falls due. */
const MINUTE_MS = 60_000;
const SETTLING_MS = 30_000;
/** Minimum calm phase in milliseconds: within it, controllers resync and find what faults made them miss. */
const LEAST_CALM_MS = 20 * 60_000;

/** Returns the durations of the phase with faults and of the calm phase. */
function phasesOf(lastsMs: number): Pick<RunScenario, 'faultsMs' | 'calmMs'> {
  const faultsMs = Math.round((lastsMs * 2) / 3);
  const endsMs = Math.max(lastsMs, faultsMs + LEAST_CALM_MS);
  return { faultsMs, calmMs: Math.ceil(endsMs / MINUTE_MS) * MINUTE_MS + SETTLING_MS - faultsMs };
}

/**
 * Derives a run from a seed.
 *
 * Seeds vary the enabled faults and their frequency, message reordering, the number of managers, and the set
 * of controllers under leases. Every other run focuses faults on one controller, because a controller with
 * few requests would otherwise rarely meet one.
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
  // Under leases, faults focus on processes instead.
  const focus = managers.leases !== true && random.int(2) === 0 ? oneOf(random, controllers) : undefined;
  const drawn = plan.workload === undefined ? generateWorkload(controllers, making, focus) : undefined;
  const workload = drawn?.actions ?? plan.workload ?? [];
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
      // Rarely, because bookmarks make a virtual hour several times slower.
      bookmarks: random.int(32) === 0,
      // Nothing reads Events, so their faults have no further effect.
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
      ...(focus !== undefined && { focus }),
    },
    random: createSeededRandom(seed * 2),
    features: [...(drawn?.features ?? [])],
  };
}

const isCompared = (seed: number, { comparedEvery = 0 }: Plan): boolean =>
  comparedEvery > 0 && seed % comparedEvery === 0;

const oddsOf = (random: Random): Swarm['odds'] => ({
  request: oneOf(random, [0.005, 0.025, 0.1]),
  event: oneOf(random, [0.001, 0.006, 0.04]),
  process: oneOf(random, [0.01, 0.05]),
  server: oneOf(random, [0.005, 0.03]),
  ...REDIS_ODDS,
});

/** Redis fault probabilities: there are about 1,000 commands an hour and one process fault check per 30 s. */
const REDIS_ODDS = { command: 0.001, redis: 0.02 };

/**
 * Probabilities under leases: faults concentrate on processes, or requests would use up the budget before a
 * leader fails.
 */
const LED_ODDS: Swarm['odds'] = { request: 0.003, event: 0.001, process: 0.05, server: 0.005, ...REDIS_ODDS };

/** Faults that force a leader change. */
const UNSEATING: ReadonlySet<FaultName> = new Set(['crash', 'restart-storm']);

/**
 * Each number of managers is equally frequent in this many consecutive seeds, so that rare cases occur in any
 * hundred.
 */
const ROUND = 64;
/** Coprime to `ROUND`, so that its multiples visit every place. */
const STRIDE = 23;

/** Returns one manager for most seeds; sometimes two without leases, more rarely two with leases. */
function managersOf(seed: number): Pick<RunScenario, 'managers' | 'leases'> {
  const place = (seed * STRIDE) % ROUND;
  return { managers: place < 9 ? 2 : 1, leases: place < 3 };
}

/** Returns two managers that share keys; in some seeds, controllers that need it use leases. */
const sharingOf = (seed: number): Pick<RunScenario, 'managers' | 'leases'> => ({
  managers: 2,
  leases: seed % 4 === 0,
});

/**
 * Number of controllers under leases or with shared keys. Each adds about 100 lease requests or 1,000
 * commands an hour.
 */
const FEW = 4;

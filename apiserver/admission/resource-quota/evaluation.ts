import type { AnyKind, DeepReadonly } from '../../../api/kinds/index.ts';
import {
  type QuotaEvaluator,
  type ResourceList,
  evaluatorOf,
  hardOf,
  sameLists,
  usedOf,
} from '../../../api/quota/index.ts';
import { isConflict, isNotFound } from '../../../api/status/index.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { inSteps } from '../../../base/budget/index.ts';
import type { ValidatedRequest } from '../../request.ts';
import { type RunningQuota, charge } from './charge.ts';
import type { LimitedResource } from './configuration.ts';

type Quota = DeepReadonly<ResourceQuota>;

/** Access to the quotas in the store. */
export interface QuotaAccess {
  /** Returns the quotas of a namespace at the newest versions known to this server. */
  of(namespace: string): readonly Quota[];
  /** Reads the newest committed version of a quota from the store. */
  live(namespace: string, name: string): Promise<Quota | undefined>;
  /** Writes `status.used` if the quota still has the given version. Throws status 409 otherwise. */
  write(quota: Quota, used: ResourceList): Promise<void>;
}

/** Quotas, limited resources and clock of an evaluation. */
export interface EvaluationOptions {
  readonly quotas: QuotaAccess;
  readonly limited: readonly LimitedResource[];
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}

/** Request that waits until its charge is written. */
interface Waiter {
  readonly request: ValidatedRequest;
  readonly evaluator: QuotaEvaluator;
  admit(): void;
  refuse(thrown: unknown): void;
}

/** Maximum number of retries of a charge after another writer changed the quota first. */
const RETRIES = 10;

/**
 * Creates the function that charges requests to the quotas of their namespace. Concurrent requests are
 * charged together, with one write per quota. The batches of a namespace run one after another. Each batch
 * uses compare-and-set on the version of the quota.
 */
export function createQuotaEvaluation(
  options: EvaluationOptions,
): (request: ValidatedRequest) => Promise<void> {
  const { vocabulary } = options;
  const evaluators = new WeakMap<object, QuotaEvaluator>();
  const waiting = new Map<string, Waiter[]>();

  function evaluatorFor(kind: AnyKind): QuotaEvaluator {
    const known = evaluators.get(kind);
    if (known !== undefined) return known;
    const created = evaluatorOf(kind, vocabulary);
    evaluators.set(kind, created);
    return created;
  }

  async function work(namespace: string): Promise<void> {
    for (let batch = waiting.get(namespace) ?? []; batch.length > 0; batch = waiting.get(namespace) ?? []) {
      waiting.set(namespace, []);
      const all = batch;
      await chargeBatch(options, options.quotas.of(namespace), all, RETRIES).catch((thrown: unknown) => {
        for (const waiter of all) waiter.refuse(thrown);
      });
    }
    waiting.delete(namespace);
  }

  return (request) => {
    const evaluator = evaluatorFor(request.kind as AnyKind);
    if (request.operation === 'UPDATE' && !evaluator.countsUpdates) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { request, evaluator, admit: resolve, refuse: reject };
      const queue = waiting.get(request.namespace);
      if (queue !== undefined) {
        queue.push(waiter);
        return;
      }
      waiting.set(request.namespace, [waiter]);
      void work(request.namespace);
    });
  };
}

const readQuotas = new WeakMap<Quota, RunningQuota>();

/**
 * Returns the parsed quota. Parsed quotas are cached, as a namespace may have many quotas with many resource
 * names.
 */
function runningQuotaOf(quota: Quota): RunningQuota {
  const known = readQuotas.get(quota);
  if (known !== undefined) return known;
  const created: RunningQuota = { quota, hard: hardOf(quota), used: usedOf(quota) };
  readQuotas.set(quota, created);
  return created;
}

async function chargeBatch(
  options: EvaluationOptions,
  quotas: readonly Quota[],
  waiters: readonly Waiter[],
  retries: number,
): Promise<void> {
  const before = quotas.map(runningQuotaOf);
  const { running, charged } = await chargeAll(options, before, waiters);
  const changed = running.filter((each, at) => !sameLists(each.used, before[at]?.used ?? new Map()));
  const lost: Quota[] = [];
  let failure: unknown;
  for (const { quota, used } of changed) {
    try {
      await options.quotas.write(quota, used);
    } catch (thrown) {
      // A deleted quota limits nothing.
      if (isNotFound(thrown)) continue;
      lost.push(quota);
      failure = thrown;
    }
  }
  if (lost.length === 0) {
    for (const waiter of charged) waiter.admit();
    return;
  }
  if (retries === 0 || !isConflict(failure)) {
    for (const waiter of charged) waiter.refuse(failure);
    return;
  }
  // The charges of the other quotas were written. Only the quotas whose write failed are charged again, at
  // their newest versions.
  const newest = await Promise.all(
    lost.map(({ metadata }) => options.quotas.live(metadata?.namespace ?? '', metadata?.name ?? '')),
  );
  await chargeBatch(
    options,
    newest.filter((quota) => quota !== undefined),
    charged,
    retries - 1,
  );
}

/**
 * Charges requests in order. Rejects a request that exceeds a quota and admits a request that uses nothing,
 * both without waiting for a write.
 */
async function chargeAll(
  { limited, vocabulary, clock }: EvaluationOptions,
  atFirst: readonly RunningQuota[],
  waiters: readonly Waiter[],
): Promise<{ readonly running: readonly RunningQuota[]; readonly charged: readonly Waiter[] }> {
  let running = atFirst;
  const charged: Waiter[] = [];
  for (const waiter of waiters) {
    const { request, evaluator } = waiter;
    try {
      const before = running;
      const input = { request, evaluator, limited, vocabulary, nowMs: clock.now() };
      const next = await inSteps(request.budget, () => charge(before, input));
      if (request.dryRun || next === running) waiter.admit();
      else {
        running = next;
        charged.push(waiter);
      }
    } catch (thrown) {
      waiter.refuse(thrown);
    }
  }
  return { running, charged };
}

import { podDisruptionBudgets, pods } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, badRequest, forbidden, isConflict, notFound, timeout } from '../../api/status/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Eviction, PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import { selects } from '../../api/validation/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { toTime } from '../../base/clock/index.ts';
import { writeContext } from '../http/request/options.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import type { DeleteParameters, ObjectReader, WriteContext } from '../registry/registry.ts';
import { changedContext } from '../registry/write/write-context.ts';
import type { Int64 } from '../../api/schema/index.ts';
import { type HandlerParts, SUCCESS } from './handler-parts.ts';

type Budget = DeepReadonly<PodDisruptionBudget>;

const PODS = { group: '', resource: 'pods' };
/** Maximum number of attempts to update a budget or delete a pod that other writers change. */
const ATTEMPTS = 20;
/** Maximum number of evictions that the budget's controller has not confirmed. */
const MAX_DISRUPTED = 2000;

/**
 * Creates the handler of `pods/eviction`, which deletes a pod unless a PodDisruptionBudget forbids it. The budget's
 * allowance is reduced before the deletion
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/registry/core/pod/storage/eviction.go).
 */
export function createEvictionHandler(parts: HandlerParts): VirtualHandler {
  const evictions = new Evictions(parts);
  return {
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: 'eviction',
    async handle(context, body, namespace, name) {
      const eviction = body as Eviction;
      if (eviction.metadata?.name !== name)
        throw badRequest('name in URL does not match name in Eviction object');
      const write = changedContext(writeContext(context, 'CreateOptions', parts.vocabulary), {
        isAdmitted: true,
      });
      const { deleteOptions } = eviction;
      const inBody = (deleteOptions?.dryRun ?? []).includes('All');
      if (write.dryRun && deleteOptions && !inBody && (deleteOptions.dryRun ?? []).length > 0) {
        throw badRequest('Non-matching dry-run options in request and content: [All] and []');
      }
      await evictions.evict(
        namespace,
        name,
        deletionOf(eviction),
        changedContext(write, { dryRun: write.dryRun || inBody }),
      );
      return SUCCESS;
    },
  };
}

/** Evictions of pods: deletions that respect PodDisruptionBudgets. */
class Evictions {
  readonly #parts: HandlerParts;
  readonly #pods: ObjectReader<Pod>;
  readonly #budgets: ObjectReader<PodDisruptionBudget>;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
    this.#pods = parts.registry.reader(pods);
    this.#budgets = parts.registry.reader(podDisruptionBudgets);
  }

  async #livePod(namespace: string, name: string): Promise<DeepReadonly<Pod>> {
    const pod = await this.#pods.live(namespace, name);
    if (pod === undefined) throw notFound(PODS, name);
    return pod;
  }

  /** Deletes a pod. `asSeen` makes its current resource version a precondition. */
  async #remove(
    pod: DeepReadonly<Pod>,
    wish: DeleteParameters,
    write: WriteContext,
    asSeen: boolean,
  ): Promise<void> {
    const { namespace = '', name = '', resourceVersion } = pod.metadata ?? {};
    const preconditions =
      asSeen && resourceVersion !== undefined && wish.preconditions.resourceVersion === undefined
        ? { ...wish.preconditions, resourceVersion }
        : wish.preconditions;
    await this.#parts.registry.of(pods).delete(namespace, name, { ...wish, preconditions }, write);
  }

  /** Deletes a pod that no budget protects. Returns false if budgets must be checked. */
  async #removedUnprotected(
    namespace: string,
    name: string,
    wish: DeleteParameters,
    write: WriteContext,
  ): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const pod = await this.#livePod(namespace, name);
      if (!isUnprotected(pod)) return false;
      try {
        await this.#remove(pod, wish, write, isPending(pod));
        return true;
      } catch (thrown) {
        const mayRetry = isConflict(thrown) && wish.preconditions.resourceVersion === undefined;
        if (!mayRetry || tries === ATTEMPTS) throw thrown;
      }
    }
  }

  /** Reduces the budget's allowance by one. Rejects with a 429 if none is left. */
  async #take(budget: Budget, podName: string, write: WriteContext): Promise<void> {
    const { namespace = '', name = '' } = budget.metadata ?? {};
    const { registry, clock, vocabulary } = this.#parts;
    let seen = budget;
    for (let tries = 1; tries <= ATTEMPTS; tries++) {
      const next = withOneLess(seen, podName, clock.now(), vocabulary);
      if (write.dryRun) return;
      try {
        await registry.of(podDisruptionBudgets).update(namespace, name, 'status', next, write);
        return;
      } catch (thrown) {
        if (!isConflict(thrown)) throw thrown;
      }
      const again = await this.#budgets.live(namespace, name);
      if (again === undefined) throw notFound({ group: 'policy', resource: 'poddisruptionbudgets' }, name);
      seen = again;
    }
    throw timeout(`couldn't update PodDisruptionBudget ${JSON.stringify(name)} due to conflicts`, 10);
  }

  /** Deletes a pod if its budget allows that. */
  async evict(namespace: string, name: string, wish: DeleteParameters, write: WriteContext): Promise<void> {
    if (await this.#removedUnprotected(namespace, name, wish, write)) return;
    const pod = await this.#livePod(namespace, name);
    const budgets = this.#budgets.list(namespace).filter((budget) => covers(budget, pod));
    if (budgets.length > 1) throw severalBudgets();
    const [cached] = budgets;
    const budget = cached && (await this.#budgets.live(namespace, cached.metadata?.name ?? ''));
    const uncounted = budget !== undefined && isUncounted(pod, budget);
    if (budget && !uncounted) await this.#take(budget, name, write);
    try {
      await this.#remove(pod, wish, write, uncounted);
    } catch (thrown) {
      // The pod changed after it was found unready; the budget may count it as healthy now.
      if (uncounted && isConflict(thrown) && wish.preconditions.resourceVersion === undefined) {
        throw stillProcessed(budget.metadata?.name ?? '');
      }
      throw thrown;
    }
  }
}

function deletionOf({ deleteOptions }: Eviction): DeleteParameters {
  const { uid, resourceVersion } = deleteOptions?.preconditions ?? {};
  return {
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    gracePeriodSeconds: deleteOptions?.gracePeriodSeconds,
    propagationPolicy: deleteOptions?.propagationPolicy as DeleteParameters['propagationPolicy'],
  };
}

const isPending = ({ metadata, status }: DeepReadonly<Pod>): boolean =>
  status?.phase === 'Pending' && metadata?.deletionTimestamp === undefined;

/** True for a pod that is finished, pending or being deleted. Its eviction disrupts nothing. */
const isUnprotected = ({ metadata, status }: DeepReadonly<Pod>): boolean =>
  status?.phase === 'Succeeded' ||
  status?.phase === 'Failed' ||
  status?.phase === 'Pending' ||
  metadata?.deletionTimestamp !== undefined;

const isReady = ({ status }: DeepReadonly<Pod>): boolean =>
  (status?.conditions ?? []).some(({ type, status: held }) => type === 'Ready' && held === 'True');

/**
 * True for an unready pod of a budget with enough healthy pods. Its eviction does not reduce their number.
 */
function isUncounted(pod: DeepReadonly<Pod>, { status }: Budget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return !isReady(pod) && currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

const covers = ({ spec }: Budget, pod: DeepReadonly<Pod>): boolean =>
  spec?.selector !== undefined && selects(spec.selector, pod.metadata?.labels ?? {});

/** Returns the budget with one allowed disruption less. Throws a 403 or 429 if no disruption is allowed. */
function withOneLess(
  budget: Budget,
  podName: string,
  nowMs: number,
  vocabulary: Vocabulary,
): PodDisruptionBudget {
  const { name = '', generation = 0 } = budget.metadata ?? {};
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
  const resource = { group: vocabulary.group('policy'), resource: 'poddisruptionbudget' };
  if (observedGeneration < generation) throw stillProcessed(name);
  if (disruptionsAllowed < 0) throw forbidden(resource, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED) {
    throw forbidden(
      resource,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (disruptionsAllowed === 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {};
    throw disruptive(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  const next = structuredClone(budget) as PodDisruptionBudget;
  const status = (next.status ??= {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  });
  status.disruptionsAllowed = disruptionsAllowed - 1;
  status.disruptedPods = { ...disruptedPods, [podName]: toTime(nowMs) };
  if (status.disruptionsAllowed === 0) forbidFurther(status, generation, nowMs);
  return next;
}

function forbidFurther(
  status: NonNullable<PodDisruptionBudget['status']>,
  generation: Int64,
  nowMs: number,
): void {
  const type = 'DisruptionAllowed';
  const conditions = status.conditions ?? [];
  const before = conditions.find((each) => each.type === type);
  const condition = {
    type,
    status: 'False',
    observedGeneration: generation,
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : toTime(nowMs),
    reason: 'InsufficientPods',
    message: before?.message ?? '',
  } as const;
  status.conditions = before
    ? conditions.map((each) => (each === before ? condition : each))
    : [...conditions, condition];
}

/** Returns the 429, without `Retry-After` as in upstream. */
const disruptive = (cause: string): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: { causes: [{ reason: 'DisruptionBudget', message: cause }] },
    code: 429,
  });

const stillProcessed = (name: string): ApiError =>
  disruptive(`The disruption budget ${name} is still being processed by the server.`);

/** Returns the error for a pod with several budgets, without a reason as in upstream. */
const severalBudgets = (): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    code: 500,
  });

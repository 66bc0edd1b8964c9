import { podDisruptionBudgets, pods } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError, badRequest, forbidden, isConflict, notFound, timeout } from '../../api/status/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Eviction, PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import { selects } from '../../api/validation/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, toTime } from '../../base/clock/index.ts';
import { writeContext } from '../http/options.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import type { DeleteParameters, Registry, WriteContext } from '../registry/registry.ts';
import { changedContext } from '../registry/write/write-context.ts';
import type { Int64 } from '../../api/schema/index.ts';

interface EvictionOptions {
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}

type Budget = DeepReadonly<PodDisruptionBudget>;

const PODS = { group: '', resource: 'pods' };
/** So often a budget or pod is read again that changed meanwhile. */
const ATTEMPTS = 20;
/** Evictions that the budget's controller has not confirmed yet. */
const MAX_DISRUPTED = 2000;

const success: { kind: string; apiVersion: string } = Object.freeze({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
});

/**
 * Answers `pods/eviction`: deletes a pod unless a PodDisruptionBudget forbids it, and takes the disruption off what the
 * budget allows before (release 1.24, `EvictionREST`).
 */
export function createEvictionHandler(options: EvictionOptions): VirtualHandler {
  const { registry, vocabulary, clock } = options;
  const podReader = registry.reader(pods);
  const budgetReader = registry.reader(podDisruptionBudgets);

  async function livePod(namespace: string, name: string): Promise<DeepReadonly<Pod>> {
    const pod = await podReader.live(namespace, name);
    if (pod === undefined) throw notFound(PODS, name);
    return pod;
  }

  const remove = async (
    pod: DeepReadonly<Pod>,
    wish: DeleteParameters,
    write: WriteContext,
    asSeen: boolean,
  ): Promise<void> => {
    const { namespace = '', name = '', resourceVersion } = pod.metadata ?? {};
    const preconditions =
      asSeen && resourceVersion !== undefined && wish.preconditions.resourceVersion === undefined
        ? { ...wish.preconditions, resourceVersion }
        : wish.preconditions;
    await registry.of(pods).delete(namespace, name, { ...wish, preconditions }, write);
  };

  /** Deletes a pod that no budget protects. False: it is one that budgets are to be asked about. */
  async function removedUnprotected(
    namespace: string,
    name: string,
    wish: DeleteParameters,
    write: WriteContext,
  ): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const pod = await livePod(namespace, name);
      if (!isUnprotected(pod)) return false;
      try {
        await remove(pod, wish, write, isPending(pod));
        return true;
      } catch (thrown) {
        const mayRetry = isConflict(thrown) && wish.preconditions.resourceVersion === undefined;
        if (!mayRetry || tries === ATTEMPTS) throw thrown;
      }
    }
  }

  /** Takes one disruption off the budget. Throws 429 when none is left. */
  async function take(budget: Budget, podName: string, write: WriteContext): Promise<void> {
    const { namespace = '', name = '' } = budget.metadata ?? {};
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
      const again = await budgetReader.live(namespace, name);
      if (again === undefined) throw notFound({ group: 'policy', resource: 'poddisruptionbudgets' }, name);
      seen = again;
    }
    throw timeout(`couldn't update PodDisruptionBudget ${JSON.stringify(name)} due to conflicts`, 10);
  }

  async function evict(
    namespace: string,
    name: string,
    wish: DeleteParameters,
    write: WriteContext,
  ): Promise<void> {
    if (await removedUnprotected(namespace, name, wish, write)) return;
    const pod = await livePod(namespace, name);
    const budgets = budgetReader.list(namespace).filter((budget) => covers(budget, pod));
    if (budgets.length > 1) throw severalBudgets();
    const [cached] = budgets;
    const budget = cached && (await budgetReader.live(namespace, cached.metadata?.name ?? ''));
    const uncounted = budget !== undefined && isUncounted(pod, budget);
    if (budget && !uncounted) await take(budget, name, write);
    try {
      await remove(pod, wish, write, uncounted);
    } catch (thrown) {
      // The pod has changed since it was found not to count.
      if (uncounted && isConflict(thrown) && wish.preconditions.resourceVersion === undefined) {
        throw stillProcessed(budget.metadata?.name ?? '');
      }
      throw thrown;
    }
  }

  return {
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: 'eviction',
    async handle(context, body, namespace, name) {
      const eviction = body as Eviction;
      if (eviction.metadata?.name !== name)
        throw badRequest('name in URL does not match name in Eviction object');
      const write = changedContext(writeContext(context, 'CreateOptions', vocabulary), { isAdmitted: true });
      const { deleteOptions } = eviction;
      const inBody = (deleteOptions?.dryRun ?? []).includes('All');
      if (write.dryRun && deleteOptions && !inBody && (deleteOptions.dryRun ?? []).length > 0) {
        throw badRequest('Non-matching dry-run options in request and content: [All] and []');
      }
      await evict(
        namespace,
        name,
        deletionOf(eviction),
        changedContext(write, { dryRun: write.dryRun || inBody }),
      );
      return success;
    },
  };
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

/** A pod that has ended, not begun, or is going already disrupts nothing. */
const isUnprotected = ({ metadata, status }: DeepReadonly<Pod>): boolean =>
  status?.phase === 'Succeeded' ||
  status?.phase === 'Failed' ||
  status?.phase === 'Pending' ||
  metadata?.deletionTimestamp !== undefined;

const isReady = ({ status }: DeepReadonly<Pod>): boolean =>
  (status?.conditions ?? []).some(({ type, status: held }) => type === 'Ready' && held === 'True');

/** A pod that is not ready is not among the healthy ones, of which there are enough. */
function isUncounted(pod: DeepReadonly<Pod>, { status }: Budget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return !isReady(pod) && currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

const covers = ({ spec }: Budget, pod: DeepReadonly<Pod>): boolean =>
  spec?.selector !== undefined && selects(spec.selector, pod.metadata?.labels ?? {});

/** What the budget's status becomes when a disruption is used. Throws 403 and 429 where it may not. */
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
  if (status.disruptionsAllowed === 0) refuseFurther(status, generation, nowMs);
  return next;
}

function refuseFurther(
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

/** Upstream names no time to wait. */
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

/** Upstream gives no reason here. */
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

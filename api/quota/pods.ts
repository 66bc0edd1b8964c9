import { qosClassOf } from '../groups/core/pod.ts';
import type { DeepReadonly } from '../kinds/kind.ts';
import { quantityOf } from '../quantity/quantity.ts';
import type { Container } from '../types/core-v1-container.ts';
import type { Pod, PodAffinityTerm } from '../types/core-v1-pod.ts';
import { isQualifiedName } from '../validation/names.ts';
import { COMPUTE } from '../validation/resources.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { QuotaEvaluator, Requirement } from './kind-evaluator.ts';
import { type ResourceList, addLists, maxOfLists, sumOfLists, toResourceList } from './resource-list.ts';

type FrozenPod = DeepReadonly<Pod>;
type FrozenContainer = DeepReadonly<Container>;

const COUNT = 'count/pods';
const NAMES = new Set([
  COUNT,
  'pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/**
 * Resources that each container must declare if a quota limits them. Upstream has this rule only for
 * compatibility.
 */
const REQUIRED = new Set(['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]));
const REQUESTS = 'requests.';
const HUGE_PAGES = 'hugepages-';

/** Returns the usage by quota resource for the given requests and limits. */
function computeUsage(requests: ResourceList, limits: ResourceList, isExtended: (name: string) => boolean) {
  const usage = new Map([['pods', quantityOf(1)]]);
  for (const [name, amount] of requests) {
    if (COMPUTE.includes(name) || name.startsWith(HUGE_PAGES)) usage.set(name, amount);
    if (COMPUTE.includes(name) || name.startsWith(HUGE_PAGES) || isExtended(name))
      usage.set(REQUESTS + name, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/**
 * Returns the total requests or limits of a pod, including its overhead. For each resource, this is the sum
 * of the containers or, if larger, the amount of the largest init container.
 */
function totalOf({ spec }: FrozenPod, of: 'requests' | 'limits'): ResourceList {
  const listOf = ({ resources }: FrozenContainer): ResourceList => toResourceList(resources?.[of]);
  const running = sumOfLists((spec?.containers ?? []).map(listOf));
  const highest = maxOfLists([running, ...(spec?.initContainers ?? []).map(listOf)]);
  return addLists(highest, toResourceList(spec?.overhead));
}

/**
 * True if the pod is running or may still run. A pod whose node has not deleted it in time counts as
 * terminated.
 */
function isLive({ metadata, status }: FrozenPod, nowMs: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

function crossesNamespaces({ spec }: FrozenPod): boolean {
  const crosses = ({ namespaces, namespaceSelector }: DeepReadonly<PodAffinityTerm>): boolean =>
    (namespaces ?? []).length > 0 || namespaceSelector !== undefined;
  return [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].some(
    (affinity) =>
      (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(crosses) ||
      (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).some(({ podAffinityTerm }) =>
        crosses(podAffinityTerm),
      ),
  );
}

function matchesPriorityClass({ operator, values = [] }: Requirement, name: string): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    default:
      return false;
  }
}

function matchesScope(requirement: Requirement, pod: FrozenPod): boolean {
  const isTerminating = (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
  const isBestEffort = (): boolean => qosClassOf(pod) === 'BestEffort';
  switch (requirement.scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return isBestEffort();
    case 'NotBestEffort':
      return !isBestEffort();
    case 'PriorityClass':
      return matchesPriorityClass(requirement, pod.spec?.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

/**
 * Returns the containers that do not declare a limited resource, such as `limits.cpu for: a,b; limits.memory
 * for: a`; undefined if there are none.
 */
function missingIn(required: readonly string[], { spec }: FrozenPod): string | undefined {
  const lacking = required
    .filter((name) => REQUIRED.has(name))
    .toSorted()
    .flatMap((name) => {
      const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
        .filter((container) => !saysOf(container).has(name))
        .map((container) => container.name);
      return containers.length === 0 ? [] : [`${name} for: ${[...new Set(containers)].toSorted().join(',')}`];
    });
  return lacking.length === 0 ? undefined : `must specify ${lacking.join('; ')}`;
}

const saysOf = ({ resources }: FrozenContainer): ResourceList =>
  computeUsage(toResourceList(resources?.requests), toResourceList(resources?.limits), () => false);

/** Returns the evaluator of pods. */
export function podEvaluator({ domain }: Vocabulary): QuotaEvaluator {
  const isNative = (name: string): boolean => !name.includes('/') || name.includes(`${domain}/`);
  const isExtended = (name: string): boolean =>
    !isNative(name) && !name.startsWith(REQUESTS) && isQualifiedName(REQUESTS + name).length === 0;
  return {
    countsUpdates: false,
    matchingResources: (given) =>
      [...given].filter(
        (name) =>
          NAMES.has(name) ||
          name.startsWith(HUGE_PAGES) ||
          name.startsWith(REQUESTS + HUGE_PAGES) ||
          (name.startsWith(REQUESTS) && !isNative(name)),
      ),
    matchesScope: (requirement, object) => matchesScope(requirement, object as FrozenPod),
    hasScopes: true,
    missing: (required, object) => missingIn(required, object as FrozenPod),
    usage(object, nowMs): ResourceList {
      const pod = object as FrozenPod;
      const count: ResourceList = new Map([[COUNT, quantityOf(1)]]);
      if (!isLive(pod, nowMs)) return count;
      return addLists(count, computeUsage(totalOf(pod, 'requests'), totalOf(pod, 'limits'), isExtended));
    },
  };
}

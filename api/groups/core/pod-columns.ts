import { fromTime } from '../../../base/clock/index.ts';
import { humanDuration } from '../../kinds/age.ts';
import { ageColumn, column, NONE, nameColumn, orNone, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly } from '../../kinds/kind.ts';
import type { ContainerStateTerminated, ContainerStatus } from '../../types/core-v1-container.ts';
import type { Pod } from '../../types/core-v1-pod.ts';

type Frozen = DeepReadonly<Pod>;
type Status = DeepReadonly<ContainerStatus>;

const isTrue = (pod: Frozen, type: string): boolean =>
  (pod.status?.conditions ?? []).some((each) => each.type === type && each.status === 'True');

const exitText = ({ signal, exitCode }: DeepReadonly<ContainerStateTerminated>): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;

/** Returns the state of the first init container that has not succeeded; undefined if all have succeeded. */
function initReason(pod: Frozen): string | undefined {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const at = statuses.findIndex(({ state }) => state?.terminated?.exitCode !== 0);
  const blocking = statuses[at]?.state;
  if (at < 0) return undefined;
  if (blocking?.terminated) return `Init:${blocking.terminated.reason || exitText(blocking.terminated)}`;
  const waiting = blocking?.waiting?.reason;
  if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${at}/${pod.spec?.initContainers?.length ?? 0}`;
}

const isReady = ({ state, ready }: Status): boolean =>
  !state?.waiting?.reason && !state?.terminated && ready === true && state?.running !== undefined;

/** Returns the reason of the first container that is waiting or has terminated. */
function containerReason(statuses: readonly Status[]): string | undefined {
  for (const { state } of statuses) {
    if (state?.waiting?.reason) return state.waiting.reason;
    if (state?.terminated) return state.terminated.reason || exitText(state.terminated);
  }
  return undefined;
}

/**
 * Returns the cell of the Status column: the phase of the pod, or the most specific reason of a container.
 */
function podStatusText(pod: Frozen): string {
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return pod.status?.reason === 'NodeLost' ? 'Unknown' : 'Terminating';
  }
  const initializing = initReason(pod);
  if (initializing !== undefined) return initializing;
  const statuses = pod.status?.containerStatuses ?? [];
  const reason = containerReason(statuses) ?? (pod.status?.reason || (pod.status?.phase ?? ''));
  if (reason !== 'Completed' || !statuses.some(isReady)) return reason;
  return isTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

function readyText(pod: Frozen): string {
  const ready =
    initReason(pod) === undefined ? (pod.status?.containerStatuses ?? []).filter(isReady).length : 0;
  return `${ready}/${pod.spec?.containers?.length ?? 0}`;
}

function restartsText(pod: Frozen, nowMs: number): string {
  const inits = pod.status?.initContainerStatuses ?? [];
  const regular = pod.status?.containerStatuses ?? [];
  const blockedAt = inits.findIndex(({ state }) => state?.terminated?.exitCode !== 0);
  const begun = blockedAt < 0 ? inits : inits.slice(0, blockedAt + 1);
  const counted = blockedAt < 0 ? regular : begun;
  const restarts = counted.reduce((sum, each) => sum + (each.restartCount ?? 0), 0);
  const ends = (blockedAt < 0 ? [...inits, ...regular] : begun).flatMap(
    ({ lastState }) => fromTime(lastState?.terminated?.finishedAt) ?? [],
  );
  if (ends.length === 0) return String(restarts);
  return `${restarts} (${humanDuration(nowMs - Math.max(...ends))} ago)`;
}

function readinessGatesText(pod: Frozen): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  const passed = gates.filter(({ conditionType }) => isTrue(pod, conditionType)).length;
  return `${passed}/${gates.length}`;
}

/** Table columns of Pods. */
export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  column<Pod>('Ready', readyText, 'The aggregate readiness state of this pod for accepting traffic.'),
  column<Pod>('Status', podStatusText, 'The aggregate status of the containers in this pod.'),
  column<Pod>(
    'Restarts',
    restartsText,
    'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
  ),
  ageColumn,
  wideColumn<Pod>(
    'IP',
    (pod) => orNone(pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP),
    'IP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.',
  ),
  wideColumn<Pod>(
    'Node',
    (pod) => orNone(pod.spec?.nodeName),
    'NodeName is a request to schedule this pod onto a specific node. If it is non-empty, the scheduler simply schedules this pod onto that node, assuming that it fits resource requirements.',
  ),
  wideColumn<Pod>(
    'Nominated Node',
    (pod) => orNone(pod.status?.nominatedNodeName),
    'nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.',
  ),
  wideColumn<Pod>(
    'Readiness Gates',
    readinessGatesText,
    'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.{groupSuffix}/enhancements/keps/sig-network/580-pod-readiness-gates',
  ),
];

/** Field selectors of Pods. */
export const podFields = {
  'spec.nodeName': (pod: Frozen) => pod.spec?.nodeName ?? '',
  'spec.restartPolicy': (pod: Frozen) => pod.spec?.restartPolicy ?? '',
  'spec.schedulerName': (pod: Frozen) => pod.spec?.schedulerName ?? '',
  'spec.serviceAccountName': (pod: Frozen) => pod.spec?.serviceAccountName ?? '',
  'status.phase': (pod: Frozen) => pod.status?.phase ?? '',
  'status.podIP': (pod: Frozen) => pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '',
  'status.nominatedNodeName': (pod: Frozen) => pod.status?.nominatedNodeName ?? '',
};

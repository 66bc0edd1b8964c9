import { carryOver } from '../../kinds/carry-over.ts';
import type { DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { Container } from '../../types/core-v1-container.ts';
import type { Pod, PodStatus } from '../../types/core-v1-pod.ts';
import { validateNewPod, validatePod } from '../../validation/pod-create.ts';
import { validatePodStatus } from '../../validation/pod-status.ts';
import { validatePodUpdate } from '../../validation/pod-update.ts';
import { podWarnings } from '../pod-warnings.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { agreeOnSeccomp } from './pod-seccomp.ts';
import { binding, ephemeralContainers, eviction } from './pod-subresources.ts';

type Qos = NonNullable<PodStatus['qosClass']>;

/**
 * How a pod fares when its node runs short, from requests and limits of CPU and memory alone: `Guaranteed` when every
 * container has equal ones of both, `BestEffort` when none has any. Canonical quantities are compared as text.
 */
export function qosClassOf(pod: DeepReadonly<Pod>): Qos {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const compute = ['cpu', 'memory'];
  const amount = (container: DeepReadonly<Container>, of: 'requests' | 'limits', name: string): string => {
    const text = container.resources?.[of]?.[name] ?? '0';
    return text === '0' ? '' : text;
  };
  const any = containers.some((container) =>
    compute.some((name) => amount(container, 'requests', name) || amount(container, 'limits', name)),
  );
  if (!any) return 'BestEffort';
  const guaranteed = containers.every((container) =>
    compute.every((name) => {
      const limit = amount(container, 'limits', name);
      return limit !== '' && amount(container, 'requests', name) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** Where the two do not agree, the older field is what the author meant. */
function agreeOnAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first !== undefined) status.podIP = first;
}

export const podStrategy: Strategy<Pod> = {
  defaults(pod) {
    if (pod.status) agreeOnAddresses(pod.status);
    if (pod.spec === undefined) return;
    defaultPodSpec(pod.spec, { requests: true });
    pod.spec.enableServiceLinks ??= true;
  },
  prepareForCreate(next, { vocabulary }) {
    next.status = { phase: 'Pending', qosClass: qosClassOf(next) };
    agreeOnSeccomp(next, vocabulary);
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validatePod,
  validateCreate: validateNewPod,
  validateUpdate: validatePodUpdate,
  // Updates are frequent, and mostly not by people.
  warnings: (next, previous, { vocabulary }) => (previous === undefined ? podWarnings(next, vocabulary) : []),
};

/** The node agent reports; neither spec nor the time of deletion is its business. */
const status: ObjectSubresource<Pod> = {
  verbs: ['get', 'patch', 'update'],
  keptMetadata: ['deletionTimestamp', 'ownerReferences'],
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'spec');
    next.metadata ??= {};
    carryOver(next.metadata, previous.metadata ?? {}, 'deletionTimestamp', 'ownerReferences');
    if (next.status && next.status.qosClass === undefined && previous.status?.qosClass) {
      next.status.qosClass = previous.status.qosClass;
    }
  },
  validateUpdate: validatePodStatus,
};

export const podSubresources = { status, binding, eviction, ephemeralcontainers: ephemeralContainers };

import { carryOver } from '../../kinds/carry-over.ts';
import type { DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { Container } from '../../types/core-v1-container.ts';
import type { Pod, PodStatus } from '../../types/core-v1-pod.ts';
import { validateNewPod, validatePod } from '../../validation/pod/create.ts';
import { validatePodStatus } from '../../validation/pod/status.ts';
import { validatePodUpdate } from '../../validation/pod/update.ts';
import { podWarnings } from '../pod-warnings.ts';
import { defaultPodSpec } from './pod-defaults.ts';
import { agreeOnSeccomp } from './pod-seccomp.ts';
import { binding, ephemeralContainers, eviction } from './pod-subresources.ts';

type Qos = NonNullable<PodStatus['qosClass']>;

/**
 * Returns the quality-of-service class, from the requests and limits of CPU and memory. `Guaranteed`: every
 * container has limits for both resources, equal to its requests. `BestEffort`: no container has requests or
 * limits. Quantities are canonical, so they are compared as strings.
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

/** Makes the two address fields equal. If they differ, the older field wins. */
function agreeOnAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first !== undefined) status.podIP = first;
}

/** Strategy of Pods. */
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
  // Most updates are made by controllers, which ignore warnings, so updates return none.
  warnings: (next, previous, { vocabulary }) => (previous === undefined ? podWarnings(next, vocabulary) : []),
};

/**
 * Subresource through which the kubelet reports the status. It preserves the spec, the deletion time and the
 * owners.
 */
const status: ObjectSubresource<Pod> = {
  verbs: ['get', 'patch', 'update'],
  preservedMetadata: ['deletionTimestamp', 'ownerReferences'],
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

/** Subresources of Pods. */
export const podSubresources = { status, binding, eviction, ephemeralcontainers: ephemeralContainers };

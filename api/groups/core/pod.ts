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
 * Returns the quality-of-service class, from requests and limits of CPU and memory. `Guaranteed`: every
 * container has limits for both, equal to its requests. `BestEffort`: no container has any. Quantities are
 * canonical, so they are compared as text.
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

/** Copies between the two fields of addresses; if they differ, the older one wins. */
function agreeOnAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  else if (first !== undefined) status.podIP = first;
}

/** Hooks of pods. */
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
  // Most updates come from controllers, which ignore warnings.
  warnings: (next, previous, { vocabulary }) => (previous === undefined ? podWarnings(next, vocabulary) : []),
};

/** Subresource in which the kubelet reports the status; spec, deletion time and owners stay. */
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

/** Subresources of pods. */
export const podSubresources = { status, binding, eviction, ephemeralcontainers: ephemeralContainers };

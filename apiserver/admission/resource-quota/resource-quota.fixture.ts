import { pods } from '../../../api/groups/index.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { PersistentVolumeClaim } from '../../../api/types/core-v1-persistent-volume.ts';
import type { Pod, PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import type { Service } from '../../../api/types/core-v1-service.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { admit } from '../request.fixture.ts';
import { quotaStore } from './quota-store.fixture.ts';
import { createResourceQuota } from './resource-quota.ts';

/** Quantities by resource name. */
export type Amounts = Record<string, string>;

/** Converts a kind to the type `AnyKind`. */
export const kind = (of: unknown): AnyKind => of as AnyKind;

/** Returns a container with the given requests and limits. */
export const containerOf = (requests: Amounts = {}, limits: Amounts = {}, name = 'c'): Container => ({
  name,
  resources: { requests, limits },
});

/** Returns a pod with one container. */
export const podOf = (spec: Partial<PodSpec> = {}): Pod => ({
  metadata: { name: 'web', namespace: 'ns' },
  spec: { containers: [containerOf()], ...spec },
});

/** Returns a pod whose container has the given requests and limits. */
export const asking = (requests: Amounts, limits: Amounts = {}): Pod =>
  podOf({ containers: [containerOf(requests, limits)] });

/** Object with metadata only. */
export const named: ApiObject = { metadata: { name: 'web', namespace: 'ns' } };

/** Returns a Service with the given spec. */
export const serviceOf = (spec: NonNullable<Service['spec']>): Service => ({ ...named, spec });

/** Returns a PersistentVolumeClaim of the given size. */
export const claimOf = (storage: string, storageClassName?: string): PersistentVolumeClaim => ({
  ...named,
  spec: { resources: { requests: { storage } }, ...(storageClassName && { storageClassName }) },
});

/** Starts the plugin with the given quotas. The cache receives a write `lag` microtasks later. */
export function start(quotas: readonly ResourceQuota[], configuration?: unknown, lag = 0) {
  const store = quotaStore(quotas, lag);
  const plugin = createResourceQuota(
    { ...store, vocabulary: kubernetesVocabulary, clock: createSimulatedClock() },
    configuration,
  );
  return {
    ...store,
    plugin,
    create: (object: ApiObject = podOf(), of: unknown = pods, more = {}) =>
      admit(plugin, { kind: kind(of), object, ...more }),
    update: (object: ApiObject, previous: ApiObject, of: unknown) =>
      admit(plugin, {
        kind: kind(of),
        operation: 'UPDATE',
        object,
        previous: { ...previous, metadata: { ...previous.metadata, resourceVersion: '4' } },
      }),
    used: (name = 'q') => store.get(name)?.status?.used,
  };
}

/** Returns a usage of zero for all limited resources. */
export const full = (hard: Amounts): Amounts =>
  Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));

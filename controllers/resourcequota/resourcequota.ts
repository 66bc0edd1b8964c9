import { resourceQuotas } from '../../api/groups/index.ts';
import { type ApiObject, type DeepReadonly, sameValue, splitKey } from '../../api/kinds/index.ts';
import {
  type ResourceList,
  addLists,
  growth,
  maskList,
  requirementsOf,
  toRecord,
  toResourceList,
  withoutZeros,
} from '../../api/quota/index.ts';
import { quantityOf } from '../../api/quantity/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { ResourceQuota } from '../../api/types/core-v1-quota.ts';
import {
  type Count,
  type CountInput,
  type ObservedQuota,
  type WriteInput,
  resourceQuotaMachine,
} from '../../machines/resourcequota/index.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  watch,
} from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import { implement } from '../implement.ts';
import { createRecentCharges } from './charges.ts';
import { type CountedKind, createCountedKinds } from './counted-kinds.ts';
import { resourceQuotaManifest } from './manifest.ts';

type Quota = DeepReadonly<ResourceQuota>;
type Any = DeepReadonly<ApiObject>;

const RESYNC_MS = 5 * 60_000;
/**
 * Delay in milliseconds before a quota of a kind that is not served is counted again, the same as upstream's
 * interval of discoveries.
 */
const UNSERVED_MS = 30_000;
const keyOf = ({ metadata }: Any): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

/** True if only `status.used` changed, by a charge, which needs no new count. */
const isCharge = (quota: Quota, previous: Quota | undefined): boolean =>
  previous !== undefined &&
  sameValue(quota.spec, previous.spec) &&
  sameValue(quota.status?.hard, previous.status?.hard);

/**
 * Keeps the status of quotas in line with the existing objects: reduces the usage after deletions and
 * publishes new limits.
 * @param resyncMs interval in milliseconds at which the objects of each quota are counted; default 300,000
 */
export const resourceQuotaController = (resyncMs = RESYNC_MS): ControllerDefinition =>
  implement(resourceQuotaManifest, {
    machine: resourceQuotaMachine,
    watches: () => [
      watch(resourceQuotas, {
        keys: (quota, previous) => (isCharge(quota, previous) ? [] : [keyOf(quota)]),
      }),
    ],
    effects: createEffects,
    resyncMs,
  });

function createEffects(context: ControllerContext): Effects {
  const { client, informers, clock } = context;
  const quotas = informers.of(resourceQuotas);
  const charges = createRecentCharges(clock);
  quotas.subscribe({
    onApply: (quota, previous) => charges.note(keyOf(quota), quota, previous),
    onDelete: (quota) => charges.forget(keyOf(quota)),
  });
  const releases = createReleases(context, (namespace) => {
    for (const quota of quotas.store.byIndex('namespace', namespace)) context.enqueue(keyOf(quota));
  });
  const kindsFor = createCountedKinds(context, releases.unfollow);
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedQuota | null> => {
      const quota = quotas.store.get(key);
      if (!quota?.metadata?.uid) return null;
      const { uid, resourceVersion = '' } = quota.metadata;
      return {
        uid,
        resourceVersion,
        wanted: quota.spec?.hard ?? {},
        hard: quota.status?.hard ?? {},
        used: quota.status?.used ?? {},
      };
    },

    count: async ({ key, uid }: CountInput, signal: AbortSignal): Promise<Count> => {
      const quota = quotas.store.get(key);
      if (quota?.metadata?.uid !== uid) throw new Error(`resource quota ${key} has been replaced`);
      const names = Object.keys(quota.spec?.hard ?? {});
      // The charges are read before the count: a charge during the count is at worst counted twice for a
      // second.
      const { charged, settlesInMs } = charges.of(key);
      let used: ResourceList = new Map(names.map((name) => [name, quantityOf(0)]));
      const { kinds, areAllServed } = await kindsFor(names, signal);
      if (!areAllServed) context.enqueue(key, UNSERVED_MS);
      for (const counted of kinds) {
        releases.follow(counted);
        used = addLists(used, await usageOf(context, counted, quota, signal));
      }
      return { used: toRecord(maskList(used, names)), recent: toRecord(charged), settlesInMs };
    },

    write: async (
      { key, uid, resourceVersion, hard, used }: WriteInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const quota = quotas.store.get(key);
      if (quota === undefined) return;
      if (quota.metadata?.uid !== uid) throw new Error(`resource quota ${key} has been replaced`);
      charges.expect(key, resourceVersion, toResourceList(used));
      const next = { ...quota, metadata: { ...quota.metadata, resourceVersion }, status: { hard, used } };
      try {
        await client
          .namespaced(resourceQuotas, splitKey(key).namespace)
          .subresource('status')
          .update(next, { signal });
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
      }
    },
  };
}

/**
 * Follows kinds. Calls `onRelease` with the namespace in which an object was deleted or needs less than
 * before.
 */
function createReleases(
  { follow, informers, client: { serverClock } }: ControllerContext,
  onRelease: (namespace: string) => void,
) {
  const ends = new Map<CountedKind, () => void>();
  const begin = ({ kind, evaluator }: CountedKind): (() => void) => {
    const needsLess = (object: Any, previous: Any): boolean => {
      const [now, before] = [object, previous].map((each) => evaluator.usage(each, serverClock.now()));
      return withoutZeros(growth(before ?? new Map(), now ?? new Map())).size > 0;
    };
    const unsubscribe = informers.of(kind).subscribe({
      onApply: (object, previous) => {
        if (previous !== undefined && needsLess(object, previous))
          onRelease(object.metadata?.namespace ?? '');
      },
      onDelete: (object) => onRelease(object.metadata?.namespace ?? ''),
    });
    const unwatch = follow(watch(kind, { keys: () => [] }));
    return () => {
      unsubscribe();
      unwatch();
      void informers.release(kind);
    };
  };
  return {
    follow(counted: CountedKind): void {
      if (!ends.has(counted)) ends.set(counted, begin(counted));
    },
    unfollow(counted: CountedKind): void {
      ends.get(counted)?.();
      ends.delete(counted);
    },
  };
}

/**
 * Returns the usage of the objects of a kind. Reads the API, because a cache may be older than the charges, and
 * uses the server's time, by which pods in their grace period still count.
 */
async function usageOf(
  { client }: ControllerContext,
  { kind, evaluator }: CountedKind,
  quota: Quota,
  signal: AbortSignal,
): Promise<ResourceList> {
  const namespace = quota.metadata?.namespace ?? '';
  const requirements = requirementsOf(quota);
  const nowMs = client.serverClock.now();
  try {
    if (!evaluator.countsUpdates && !evaluator.hasScopes) {
      if (requirements.length > 0) return new Map();
      const prefix = kind.group === '' ? '/api' : '/apis';
      const { apiVersion } = client.typeMetaOf(kind);
      const path = `${prefix}/${apiVersion}/namespaces/${namespace}/${kind.plural}?limit=1`;
      const count = await client.request({ method: 'GET', path, signal }).then(lengthOf, unlessNotFound);
      // If the server does not return the remaining count, the complete list is read.
      const listed = () => client.namespaced(kind, namespace).list({ metadataOnly: true, signal });
      return times(evaluator.usage({}, nowMs), count ?? (await listed()).items.length);
    }
    const { items } = await client.namespaced(kind, namespace).list({ signal });
    return items
      .filter((item) => requirements.every((each) => evaluator.matchesScope(each, item)))
      .map((item) => evaluator.usage(item, nowMs))
      .reduce<ResourceList>(addLists, new Map());
  } catch (thrown) {
    // A kind that is no longer served has no objects.
    if (isNotFound(thrown)) return new Map();
    throw thrown;
  }
}

/**
 * Returns the number of objects of a collection from its first page, or undefined if the page lacks the
 * remaining count.
 */
function lengthOf({ body }: { readonly body: unknown }): number | undefined {
  const { items = [], metadata } = body as {
    readonly items?: readonly unknown[];
    readonly metadata?: { readonly remainingItemCount?: number; readonly continue?: string };
  };
  const remaining = metadata?.remainingItemCount ?? (metadata?.continue ? undefined : 0);
  return remaining === undefined ? undefined : items.length + remaining;
}

/** Returns the usage of `count` objects of a kind whose quota only counts the number of objects. */
const times = (usage: ResourceList, count: number): ResourceList =>
  new Map([...usage.keys()].map((name) => [name, quantityOf(count)]));

import { resourceQuotas } from '../../../api/groups/index.ts';
import { cloneJson } from '../../../api/schema/own.ts';
import { conflict, notFound } from '../../../api/status/api-error.ts';
import type { ResourceQuota } from '../../../api/types/core-v1-quota.ts';
import { fixtureReader } from '../../authorization/reader.fixture.ts';
import type { ResourceRegistry, WriteResult } from '../../registry/registry.ts';

type Amounts = Record<string, string>;

/** Creates a quota whose status contains all that the quota limits. */
export const quotaOf = (
  hard: Amounts,
  used: Amounts | undefined,
  spec: ResourceQuota['spec'] = {},
  name = 'q',
): ResourceQuota => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '1' },
  spec: { ...spec, hard },
  status: { hard, ...(used && { used }) },
});

/** Creates a store of quotas with compare-and-set. Its cache receives a write `lag` microtasks later. */
export function quotaStore(quotas: readonly ResourceQuota[], lag = 0) {
  const cache = fixtureReader(quotas);
  const store = new Map(quotas.map((quota) => [quota.metadata?.name ?? '', quota]));
  let version = 1;
  const put = async (quota: ResourceQuota): Promise<ResourceQuota> => {
    const name = quota.metadata?.name ?? '';
    const found = store.get(name);
    const which = { group: '', resource: resourceQuotas.plural };
    if (found === undefined) throw notFound(which, name);
    if (quota.metadata?.resourceVersion !== found.metadata?.resourceVersion)
      throw conflict(which, name, 'the object has been modified');
    const next = cloneJson({ ...quota, metadata: { ...quota.metadata, resourceVersion: String(++version) } });
    store.set(name, next);
    if (lag === 0) cache.set(next);
    else void seenLater(name, next);
    return next;
  };
  const seenLater = async (name: string, quota: ResourceQuota): Promise<void> => {
    await ticks(lag);
    if (store.get(name) === quota) cache.set(quota);
  };
  const update: ResourceRegistry['update'] = async (_namespace, _name, _subresource, body) => {
    await ticks(1);
    const object = await put(body as ResourceQuota);
    return { object, bytes: Buffer.alloc(0), created: false } as WriteResult;
  };
  return {
    quotas: {
      ...cache,
      live: async (_namespace: string, name: string) => {
        await ticks(1);
        return store.get(name);
      },
    },
    registry: { update },
    cache,
    get: (name = 'q') => store.get(name),
    /** Writes the quota unchanged, as another client would. */
    touch: async (name = 'q') => {
      const found = store.get(name);
      if (found) await put(found);
    },
    remove(name = 'q') {
      store.delete(name);
      cache.delete('ns', name);
    },
  };
}

/** Waits for the given number of microtasks. */
export async function ticks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await Promise.resolve();
}

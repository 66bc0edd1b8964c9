import { type ApiObject, type DeepReadonly, type Kind, splitKey } from '../api/kinds/index.ts';
import { isConflict, isNotFound } from '../api/status/index.ts';
import type { DeleteInput, Deletion, ObservedLifetime } from '../machines/expiry/expiry.ts';
import type { ControllerContext, DeleteOptions, Effects, Store } from '../runtime/index.ts';

/** Kind whose objects expire, with a cache of the objects. */
export interface Expiring<T extends ApiObject> {
  readonly kind: Kind<T>;
  readonly store: Pick<Store<T>, 'get'>;
  /** Returns the milliseconds from `nowMs` until the object expires, or null if it never does. */
  readonly leftMs: (object: DeepReadonly<T>, nowMs: number) => number | null;
  readonly propagationPolicy?: NonNullable<DeleteOptions['propagationPolicy']>;
}

/**
 * Creates the effects of `createExpiryMachine`. The cache only decides when to read the API. The object to
 * delete is read from the API, and its expiry is compared with the API server's time, so that a wrong local
 * clock deletes nothing early or late.
 */
export function createExpiryEffects<T extends ApiObject>(
  { client }: ControllerContext,
  { kind, store, leftMs, propagationPolicy }: Expiring<T>,
): Effects {
  const resourceOf = (key: string) => {
    const { namespace, name } = splitKey(key);
    return { name, resource: kind.namespaced ? client.namespaced(kind, namespace) : client.cluster(kind) };
  };
  const lifetimeOf = (object: DeepReadonly<T> | undefined, nowMs: number): ObservedLifetime | null => {
    const { uid, resourceVersion, deletionTimestamp } = object?.metadata ?? {};
    if (!object || uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined)
      return null;
    return { uid, resourceVersion, leftMs: leftMs(object, nowMs) };
  };
  return {
    observe: async ({ key }: { readonly key: string }) =>
      lifetimeOf(store.get(key), client.serverClock.now()),

    async confirm({ key }: { readonly key: string }, signal): Promise<ObservedLifetime | null> {
      const { name, resource } = resourceOf(key);
      try {
        const { object, serverMs } = await resource.getDated(name, { signal });
        return lifetimeOf(object, serverMs);
      } catch (thrown) {
        if (isNotFound(thrown)) return null;
        throw thrown;
      }
    },

    async deleteObject({ key, ...preconditions }: DeleteInput, signal): Promise<Deletion> {
      const { name, resource } = resourceOf(key);
      try {
        await resource.delete(name, {
          preconditions,
          signal,
          ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
        });
        return 'deleted';
      } catch (thrown) {
        if (isNotFound(thrown)) return 'deleted';
        if (isConflict(thrown)) return 'changed';
        throw thrown;
      }
    },
  };
}

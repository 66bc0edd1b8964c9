import type { ApiObject, DeepReadonly, Kind } from '../api/kinds/kind.ts';
import { keyOf } from '../api/kinds/scheme.ts';
import type { Informer, InformerHandler, Informers } from '../runtime/informer/informer.ts';

/** Informers with caches that a test fills, one for each kind. Scopes are ignored. */
export interface HandFedInformers {
  readonly informers: Informers;
  /** Stores the object as the newest version of its key and notifies the subscribers. */
  apply<T extends ApiObject>(kind: Kind<T>, object: T): void;
  remove<T extends ApiObject>(kind: Kind<T>, object: T): void;
  /** Resolves `ready`. Before that, no cache counts as synced. */
  fill(): void;
}

interface Cache {
  readonly informer: Informer<ApiObject>;
  readonly objects: Map<string, DeepReadonly<ApiObject>>;
  readonly handlers: Set<InformerHandler<ApiObject>>;
}

export function createHandFedInformers(): HandFedInformers {
  const caches = new Map<string, Cache>();
  let filled = false;
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));

  const createCache = (kind: Kind<ApiObject>): Cache => {
    const objects = new Map<string, DeepReadonly<ApiObject>>();
    const handlers = new Set<InformerHandler<ApiObject>>();
    const indexes = new Map<string, (object: DeepReadonly<ApiObject>) => readonly string[]>();
    const informer: Informer<ApiObject> = {
      kind,
      store: {
        get: (key) => objects.get(key),
        list: () => [...objects.values()],
        byIndex(name, value) {
          const index = indexes.get(name);
          if (index === undefined) throw new Error(`index ${name} was not declared`);
          return [...objects.values()].filter((object) => index(object).includes(value));
        },
        get size() {
          return objects.size;
        },
      },
      subscribe(handler) {
        handlers.add(handler);
        for (const object of objects.values()) handler.onApply(object, undefined);
        return () => void handlers.delete(handler);
      },
      index: (name, values) => void indexes.set(name, values),
      ready: (signal) =>
        new Promise((resolve, reject) => {
          void opened.then(resolve);
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      served: () => opened.then(() => true),
      problem: () => undefined,
      get synced() {
        return filled;
      },
      silentMs: () => 0,
    };
    return { informer, objects, handlers };
  };
  const cacheOf = (kind: Pick<Kind, 'group' | 'plural'>): Cache => {
    const name = `${kind.group}/${kind.plural}`;
    const cache = caches.get(name) ?? createCache(kind as Kind<ApiObject>);
    caches.set(name, cache);
    return cache;
  };
  const informers: Informers = {
    // A cache contains objects of one kind, so the kind determines the type of the informer.
    of: <T extends ApiObject>(kind: Kind<T>) => cacheOf(kind).informer as unknown as Informer<T>,
    release: async ({ group, plural }) => void caches.delete(`${group}/${plural}`),
    hold: () => ({ ...informers, held: () => [], close: async () => {} }),
  };
  return {
    informers,
    apply(kind, object) {
      const { objects, handlers } = cacheOf(kind);
      const previous = objects.get(keyOf(object));
      objects.set(keyOf(object), object);
      for (const handler of handlers) handler.onApply(object, previous);
    },
    remove(kind, object) {
      const { objects, handlers } = cacheOf(kind);
      objects.delete(keyOf(object));
      for (const handler of handlers) handler.onDelete(object);
    },
    fill() {
      filled = true;
      open();
    },
  };
}

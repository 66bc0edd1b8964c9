import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { keyOf } from '../../api/kinds/scheme.ts';
import type { ObjectReader } from '../registry/registry.ts';

/** Reader over objects that a test sets and deletes. */
export interface FixtureReader<T extends ApiObject> extends ObjectReader<T> {
  set(object: T): void;
  delete(namespace: string, name: string): void;
  /** Number of calls of `live`. */
  readonly liveReads: number;
}

const key = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);

/**
 * Creates a reader. The objects in `lagging` are found only by `live`, as if the cache had not received them
 * yet.
 */
export function fixtureReader<T extends ApiObject>(
  objects: readonly T[] = [],
  lagging: readonly T[] = [],
): FixtureReader<T> {
  const held = new Map(objects.map((object) => [keyOf(object), object as DeepReadonly<T>]));
  const unseen = new Map(lagging.map((object) => [keyOf(object), object as DeepReadonly<T>]));
  const listeners = new Set<Parameters<ObjectReader<T>['subscribe']>[0]>();
  let liveReads = 0;
  return {
    get: (namespace, name) => held.get(key(namespace, name)),
    list: (namespace) =>
      [...held.values()].filter(
        ({ metadata }) => namespace === undefined || metadata?.namespace === namespace,
      ),
    subscribe(onChange) {
      listeners.add(onChange);
      for (const object of held.values()) onChange(object, undefined);
      return () => listeners.delete(onChange);
    },
    live(namespace, name) {
      liveReads++;
      return Promise.resolve(held.get(key(namespace, name)) ?? unseen.get(key(namespace, name)));
    },
    set(object) {
      const previous = held.get(keyOf(object));
      held.set(keyOf(object), object as DeepReadonly<T>);
      for (const listener of listeners) listener(object as DeepReadonly<T>, previous);
    },
    delete(namespace, name) {
      const previous = held.get(key(namespace, name));
      held.delete(key(namespace, name));
      for (const listener of listeners) listener(undefined, previous);
    },
    get liveReads() {
      return liveReads;
    },
  };
}

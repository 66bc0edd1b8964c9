import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import type { Store } from './informer.ts';

/** Built-in index of objects by namespace ('' for cluster-scoped objects), created at its first use. */
const NAMESPACE_INDEX = 'namespace';

/** One change of the store. Handlers receive changes in this order. */
export type Change<T> =
  | {
      readonly type: 'apply';
      readonly object: DeepReadonly<T>;
      readonly previous: DeepReadonly<T> | undefined;
    }
  | { readonly type: 'delete'; readonly object: DeepReadonly<T> };

/** Write access to a store. A store has a single writer. */
export interface StoreWriter<T extends ApiObject> {
  readonly store: Store<T>;
  /** Returns all objects, even before the store is filled. */
  objects(): readonly DeepReadonly<T>[];
  count(): number;
  /** Replaces all objects and returns the differences, deletions first. */
  replace(objects: readonly DeepReadonly<T>[]): Change<T>[];
  apply(object: DeepReadonly<T>): Change<T>[];
  remove(object: DeepReadonly<T>): Change<T>[];
  index(name: string, values: (object: DeepReadonly<T>) => readonly string[]): void;
}

/** Objects by key, and an array of them that is cached until the next change. */
interface Bucket<T> {
  readonly objects: Map<string, DeepReadonly<T>>;
  list: readonly DeepReadonly<T>[] | undefined;
  /** Function that throws; defined until the store is filled for the first time. */
  onUnfilled: (() => never) | undefined;
}

interface Index<T> {
  readonly values: (object: DeepReadonly<T>) => readonly string[];
  readonly buckets: Map<string, Bucket<T>>;
}

const inNamespace = (object: DeepReadonly<ApiObject>): readonly string[] => [
  object.metadata?.namespace ?? '',
];

const NONE: readonly never[] = Object.freeze([]);

const equalLists = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, at) => value === b[at]);

const createBucket = <T>(): Bucket<T> => ({
  objects: new Map(),
  list: undefined,
  onUnfilled: undefined,
});

const listOf = <T>(bucket: Bucket<T>): readonly DeepReadonly<T>[] =>
  (bucket.list ??= Object.freeze([...bucket.objects.values()]));

const uidOf = (object: DeepReadonly<ApiObject>): string | undefined => object.metadata?.uid;

/** True for the same version of the same object. */
const same = (a: DeepReadonly<ApiObject>, b: DeepReadonly<ApiObject>): boolean =>
  uidOf(a) === uidOf(b) &&
  a.metadata?.resourceVersion !== undefined &&
  a.metadata.resourceVersion === b.metadata?.resourceVersion;

// A class, because accessors in an object literal give each store its own hidden class, which makes the
// reading code megamorphic.
class IndexedStore<T extends ApiObject> implements Store<T> {
  readonly #all: Bucket<T>;
  readonly #indexes: ReadonlyMap<string, Index<T>>;
  readonly #byNamespace: () => Index<T>;

  constructor(all: Bucket<T>, indexes: ReadonlyMap<string, Index<T>>, byNamespace: () => Index<T>) {
    this.#all = all;
    this.#indexes = indexes;
    this.#byNamespace = byNamespace;
  }

  get size(): number {
    this.#all.onUnfilled?.();
    return this.#all.objects.size;
  }

  get(key: string): DeepReadonly<T> | undefined {
    this.#all.onUnfilled?.();
    return this.#all.objects.get(key);
  }

  list(): readonly DeepReadonly<T>[] {
    this.#all.onUnfilled?.();
    return listOf(this.#all);
  }

  byIndex(name: string, value: string): readonly DeepReadonly<T>[] {
    const index = this.#indexes.get(name) ?? (name === NAMESPACE_INDEX ? this.#byNamespace() : undefined);
    if (index === undefined)
      throw new Error(
        `no index ${JSON.stringify(name)}; expected one of ${[...new Set([NAMESPACE_INDEX, ...this.#indexes.keys()])].join(', ')}`,
      );
    this.#all.onUnfilled?.();
    const bucket = index.buckets.get(value);
    return bucket === undefined ? NONE : listOf(bucket);
  }
}

/**
 * Creates an empty store.
 * @param onUnfilled called by lookups before the first `replace`; throws. Without it these lookups return
 * nothing.
 */
export function createObjectStore<T extends ApiObject>(onUnfilled?: () => never): StoreWriter<T> {
  const all = createBucket<T>();
  all.onUnfilled = onUnfilled;
  const indexes = new Map<string, Index<T>>();

  const enter = (index: Index<T>, key: string, object: DeepReadonly<T>): void => {
    for (const value of index.values(object)) {
      let bucket = index.buckets.get(value);
      if (bucket === undefined) index.buckets.set(value, (bucket = createBucket()));
      bucket.objects.set(key, object);
      bucket.list = undefined;
    }
  };
  const leave = (index: Index<T>, key: string, object: DeepReadonly<T>): void => {
    for (const value of index.values(object)) {
      const bucket = index.buckets.get(value);
      if (bucket === undefined) continue;
      bucket.objects.delete(key);
      bucket.list = undefined;
      if (bucket.objects.size === 0) index.buckets.delete(value);
    }
  };
  const put = (key: string, object: DeepReadonly<T>): void => {
    const previous = all.objects.get(key);
    for (const index of indexes.values()) {
      // Usually the object stays in its bucket. Deleting and re-adding it would make the bucket's hash table
      // grow and rehash.
      if (previous !== undefined && !equalLists(index.values(previous), index.values(object)))
        leave(index, key, previous);
      enter(index, key, object);
    }
    all.objects.set(key, object);
    all.list = undefined;
  };
  const declare = (name: string, values: Index<T>['values']): Index<T> => {
    const index: Index<T> = { values, buckets: new Map() };
    indexes.set(name, index);
    for (const [key, object] of all.objects) enter(index, key, object);
    return index;
  };
  const drop = (key: string, object: DeepReadonly<T>): void => {
    for (const index of indexes.values()) leave(index, key, object);
    all.objects.delete(key);
    all.list = undefined;
  };
  /**
   * Stores `object` and returns its changes: none, one, or a deletion and a creation if the object replaces
   * another object of the same name.
   */
  const change = (object: DeepReadonly<T>): Change<T>[] => {
    const key = keyOf(object as ApiObject);
    const previous = all.objects.get(key);
    if (previous !== undefined && same(previous, object)) return [];
    put(key, object);
    return previous === undefined || uidOf(previous) === uidOf(object)
      ? [{ type: 'apply', object, previous }]
      : [
          { type: 'delete', object: previous },
          { type: 'apply', object, previous: undefined },
        ];
  };

  return {
    store: new IndexedStore(all, indexes, () => declare(NAMESPACE_INDEX, inNamespace)),
    objects: () => listOf(all),
    count: () => all.objects.size,
    replace(objects) {
      all.onUnfilled = undefined;
      const keys = new Set(objects.map((object) => keyOf(object as ApiObject)));
      const changes: Change<T>[] = [];
      for (const [key, object] of all.objects) {
        if (keys.has(key)) continue;
        drop(key, object);
        changes.push({ type: 'delete', object });
      }
      for (const object of objects) changes.push(...change(object));
      return changes;
    },
    apply: change,
    remove(object) {
      const key = keyOf(object as ApiObject);
      const previous = all.objects.get(key);
      // A late deletion of an earlier object with this name must not remove the current object.
      if (previous === undefined || uidOf(previous) !== uidOf(object)) return [];
      drop(key, previous);
      return [{ type: 'delete', object }];
    },
    index(name, values) {
      if (name !== NAMESPACE_INDEX && !indexes.has(name)) declare(name, values);
    },
  };
}

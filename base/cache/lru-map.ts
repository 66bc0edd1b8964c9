import { IntrusiveList, type Linked } from '../collections/intrusive-list.ts';

/** Map with a maximum size that drops the least recently used entry. */
export interface LruMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  readonly size: number;
}

class Entry<V> implements Linked<Entry<V>> {
  previous: Entry<V> | undefined;
  next: Entry<V> | undefined;
  readonly key: string;
  value: V;

  constructor(key: string, value: V) {
    this.key = key;
    this.value = value;
  }
}

/**
 * Creates an empty map.
 * @param limit maximum number of entries
 */
export const createLruMap = <V>(limit: number): LruMap<V> => new LinkedMap<V>(limit);

class LinkedMap<V> implements LruMap<V> {
  readonly #limit: number;
  readonly #entries = new Map<string, Entry<V>>();
  // Separate from the map, as deleting and re-adding a key at each lookup would create long-lived garbage.
  readonly #byUse = new IntrusiveList<Entry<V>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#used(entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    const known = this.#entries.get(key);
    const entry = known ?? new Entry(key, value);
    entry.value = value;
    this.#used(entry);
    if (known !== undefined) return;
    this.#entries.set(key, entry);
    if (this.#entries.size > this.#limit && this.#byUse.first !== undefined) this.#forget(this.#byUse.first);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#forget(entry);
  }

  #used(entry: Entry<V>): void {
    this.#byUse.delete(entry);
    this.#byUse.add(entry);
  }

  #forget(entry: Entry<V>): void {
    this.#byUse.delete(entry);
    this.#entries.delete(entry.key);
  }
}

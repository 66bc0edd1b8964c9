import { IntrusiveList, type Linked } from '../collections/intrusive-list.ts';

/** A map that forgets what was longest not asked for. */
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

export function createLruMap<V>(limit: number): LruMap<V> {
  const entries = new Map<string, Entry<V>>();
  // Beside the map: to take a key out of it and put it in again at each look-up would make garbage that lives long.
  const byUse = new IntrusiveList<Entry<V>>();
  const used = (entry: Entry<V>): void => {
    byUse.delete(entry);
    byUse.add(entry);
  };
  const forget = (entry: Entry<V>): void => {
    byUse.delete(entry);
    entries.delete(entry.key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      used(entry);
      return entry.value;
    },
    set(key, value) {
      const known = entries.get(key);
      const entry = known ?? new Entry(key, value);
      entry.value = value;
      used(entry);
      if (known !== undefined) return;
      entries.set(key, entry);
      if (entries.size > limit && byUse.first !== undefined) forget(byUse.first);
    },
    delete(key) {
      const entry = entries.get(key);
      if (entry !== undefined) forget(entry);
    },
    get size() {
      return entries.size;
    },
  };
}

import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { isObject } from '../../../api/schema/index.ts';
import { IntrusiveList, type Linked, deepFreeze } from '../../../base/collections/index.ts';
import type { Stored } from '../../storage/storage.ts';

/**
 * Recently written objects in the form that parsing their bytes would return, the last state per key. Deeply
 * frozen: the next write to the object starts from it and shares its parts.
 */
export interface Recent {
  get(stored: Pick<Stored, 'key' | 'value'>): DeepReadonly<ApiObject> | undefined;
  /** Freezes `object`, which must equal the parsed value. */
  add(stored: Pick<Stored, 'key' | 'value'>, object: DeepReadonly<ApiObject>): void;
}

/** Bytes of JSON per kind whose objects are kept; parsed objects take several times as much memory. */
const LIMIT = 512 * 1024;

class Held implements Linked<Held> {
  previous: Held | undefined;
  next: Held | undefined;
  readonly key: string;
  value: Buffer;
  object: DeepReadonly<ApiObject>;

  constructor(key: string, value: Buffer, object: DeepReadonly<ApiObject>) {
    this.key = key;
    this.value = value;
    this.object = object;
  }
}

/** Creates a cache that evicts the least recently written objects above `limit` bytes of JSON. */
export function createRecent(limit = LIMIT): Recent {
  // By key: only the last state of a frequently written object is kept, and the map does not change shape.
  const held = new Map<string, Held>();
  const byWrite = new IntrusiveList<Held>();
  let size = 0;
  const forget = (entry: Held): void => {
    byWrite.delete(entry);
    held.delete(entry.key);
    size -= entry.value.length;
  };
  return {
    get({ key, value }) {
      const entry = held.get(key);
      return entry?.value === value ? entry.object : undefined;
    },
    add({ key, value }, object) {
      const known = held.get(key);
      if (value.length > limit || known?.value === value) return;
      deepFreeze(object);
      const entry = known ?? new Held(key, value, object);
      if (known === undefined) held.set(key, entry);
      else size -= known.value.length;
      byWrite.delete(entry);
      byWrite.add(entry);
      entry.value = value;
      entry.object = object;
      size += value.length;
      while (size > limit && byWrite.first !== undefined) forget(byWrite.first);
    },
  };
}

/**
 * Returns an object whose structs outside lists can be modified: frozen ones are copied, others are reused.
 * Lists stay shared.
 */
export function thawed<T>(value: T): T {
  if (!isObject(value)) return value;
  const entries = Object.keys(value).map((key) => [key, thawed(value[key])] as const);
  if (!Object.isFrozen(value) && entries.every(([key, part]) => part === value[key])) return value;
  return Object.fromEntries(entries) as T;
}

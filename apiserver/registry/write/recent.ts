import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { isObject } from '../../../api/schema/index.ts';
import { IntrusiveList, type Linked, deepFreeze } from '../../../base/collections/index.ts';
import type { Stored } from '../../storage/storage.ts';

/**
 * Recently written objects in the form that parsing their bytes would return, the last state per key. They
 * are deeply frozen, because the next write to the object starts from its last state and shares parts of it.
 */
export interface Recent {
  get(stored: Pick<Stored, 'key' | 'value'>): DeepReadonly<ApiObject> | undefined;
  /** Stores the object of `stored` and freezes it. `object` must equal the parsed value. */
  add(stored: Pick<Stored, 'key' | 'value'>, object: DeepReadonly<ApiObject>): void;
}

/**
 * Maximum size of a kind's recent objects, in bytes of JSON. Parsed objects take several times as much
 * memory.
 */
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

/**
 * Creates a cache that evicts the least recently written objects if all together exceed `limit` bytes of
 * JSON.
 */
export function createRecent(limit = LIMIT): Recent {
  // Keyed by storage key, so that a frequently written object is stored only once and the map does not change
  // shape.
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
 * Returns an object whose structs outside lists can be modified. Frozen structs are copied, others are
 * reused. Lists stay shared.
 */
export function thawed<T>(value: T): T {
  if (!isObject(value)) return value;
  const entries = Object.keys(value).map((key) => [key, thawed(value[key])] as const);
  if (!Object.isFrozen(value) && entries.every(([key, part]) => part === value[key])) return value;
  return Object.fromEntries(entries) as T;
}

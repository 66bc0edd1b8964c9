import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import { isObject } from '../../../api/schema/own.ts';
import { deepFreeze } from '../../../base/collections/deep-freeze.ts';
import { IntrusiveList, type Linked } from '../../../base/collections/intrusive-list.ts';
import type { Stored } from '../../storage/storage.ts';

/**
 * Objects that were written a short while ago, as they would be parsed from their bytes: of each key the last. Deeply frozen:
 * what is written next to the same object begins with them and shares their parts.
 */
export interface Recent {
  get(stored: Pick<Stored, 'key' | 'value'>): DeepReadonly<ApiObject> | undefined;
  /** Freezes `object`, which must be what the value would be parsed to. */
  add(stored: Pick<Stored, 'key' | 'value'>, object: DeepReadonly<ApiObject>): void;
}

/** Bytes of JSON of one kind whose objects are kept; parsed they take several times as much. */
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

/** Forgets those written longest ago when there is more than `limit` bytes of JSON. */
export function createRecent(limit = LIMIT): Recent {
  // By key: of an object that is written again and again only the last state stays, and the map does not change.
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
 * An object whose structs outside lists can be written into, though they were frozen parts of another; in place where they
 * were not. Lists stay shared.
 */
export function thawed<T>(value: T): T {
  if (!isObject(value)) return value;
  const entries = Object.keys(value).map((key) => [key, thawed(value[key])] as const);
  if (!Object.isFrozen(value) && entries.every(([key, part]) => part === value[key])) return value;
  return Object.fromEntries(entries) as T;
}

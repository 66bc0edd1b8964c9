import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { isObject } from '../../api/schema/own.ts';

/**
 * Objects that were written a short while ago, as they would be parsed from their bytes. Deeply frozen: what is written
 * next to the same object begins with them and shares their parts.
 */
export interface Recent {
  get(value: Buffer): DeepReadonly<ApiObject> | undefined;
  /** Freezes `object`, which must be what `value` would be parsed to. */
  add(value: Buffer, object: DeepReadonly<ApiObject>): void;
}

/** Bytes of JSON of one kind whose objects are kept; parsed they take several times as much. */
const LIMIT = 512 * 1024;

/** Forgets the oldest when there is more than `limit` bytes of JSON. */
export function createRecent(limit = LIMIT): Recent {
  const held = new Map<Buffer, DeepReadonly<ApiObject>>();
  let size = 0;
  return {
    get: (value) => held.get(value),
    add(value, object) {
      if (value.length > limit || held.has(value)) return;
      deepFreeze(object);
      held.set(value, object);
      size += value.length;
      for (const oldest of held.keys()) {
        if (size <= limit) return;
        held.delete(oldest);
        size -= oldest.length;
      }
    },
  };
}

/** A frozen part is frozen as deep as it goes. */
function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (Array.isArray(value)) value.forEach(deepFreeze);
  else for (const key of Object.keys(value)) deepFreeze((value as { [key: string]: unknown })[key]);
  Object.freeze(value);
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

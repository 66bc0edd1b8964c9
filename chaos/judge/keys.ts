import { isRecord } from '../../base/collections/index.ts';
import type { WireObject } from './wire-history.ts';

/** Returns the key of an object in messages and maps: `configmaps default/x`. */
export const keyOf = (resource: string, namespace: string, name: string): string =>
  `${resource} ${namespace === '' ? '' : `${namespace}/`}${name}`;

export const keyOfObject = (resource: string, { metadata }: WireObject): string =>
  keyOf(resource, metadata.namespace ?? '', metadata.name ?? '');

export const objectIn = (value: unknown): WireObject | undefined =>
  isRecord(value) && isRecord(value['metadata']) ? (value as unknown as WireObject) : undefined;

/** Returns the items grouped by key, in the order of the items. */
export function groupBy<T>(
  items: Iterable<T>,
  keyOfItem: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [item]);
    else known.push(item);
  }
  return groups;
}

/** True for leases and Events, which do not show a client's decisions. */
export const isIncidental = (resource: string): boolean => /^(?:leases\.|events(?:\.|$))/.test(resource);

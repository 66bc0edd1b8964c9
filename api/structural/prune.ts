import { spend } from '../../base/budget/index.ts';
import { type JsonObject, isObject, setOwn } from '../schema/own.ts';
import type { Structural } from './structural.ts';

/** State and callbacks of pruning. */
export interface PruneContext {
  /** Path segments that lead to the value. */
  readonly path: (string | number)[];
  /** Called for each dropped field; `path` is then the path of its container. */
  unknown(key: string): void;
  /** True if `null` is retained where the schema neither allows it nor has a default. */
  readonly keepsNulls: boolean;
  /** Decodes `kind`, `apiVersion` or `metadata` of the object or of an embedded object, at `path`. */
  typeField(key: string, value: unknown): unknown;
}

/** Work units for an object. */
const OBJECT_WORK = 0.5;

/** Fields of every object that its type determines, not its schema. */
export const TYPE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes the fields that the schema does not know, and sorts keys as Go writes maps. Lists are changed in
 * place. `node` is undefined for values without a schema. Like `PruneWithOptions` followed by
 * `PruneNonNullableNullsWithoutDefaults` of release 1.24.
 */
export function pruned(node: Structural | undefined, value: unknown, context: PruneContext): unknown {
  if (Array.isArray(value)) {
    const items = node?.items && node.preserveUnknown ? keeping(node.items) : node?.items;
    for (let at = 0; at < value.length; at += 1) {
      context.path.push(at);
      value[at] = node?.preserveUnknown && !items ? kept(value[at]) : pruned(items, value[at], context);
      context.path.pop();
    }
    return value;
  }
  return isObject(value) ? prunedMap(node, value, context) : value;
}

function prunedMap(node: Structural | undefined, map: JsonObject, context: PruneContext): JsonObject {
  spend(OBJECT_WORK);
  const held = new Map<string, unknown>();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (node?.embedded && TYPE_FIELDS.has(key)) {
      held.set(key, typeField(key, value, context));
      continue;
    }
    const known = node && knownUnder(node, key);
    if (known === undefined && !node?.preserveUnknown) context.unknown(key);
    else if (known === undefined) held.set(key, kept(value));
    else if (value !== null || context.keepsNulls || mayBeNull(known)) {
      context.path.push(key);
      held.set(key, pruned(known === true ? undefined : known, value, context));
      context.path.pop();
    }
  }
  return sortedObject(held);
}

/** Decodes a common field. Upstream encodes metadata again and drops a creation time that is not set. */
function typeField(key: string, value: unknown, context: PruneContext): unknown {
  context.path.push(key);
  const decoded = context.typeField(key, value);
  context.path.pop();
  if (key === 'metadata' && isObject(decoded) && decoded['creationTimestamp'] === null)
    delete decoded['creationTimestamp'];
  return decoded;
}

/**
 * Returns the schema for the items of a list that preserves unknown fields. Its items then also preserve
 * them.
 */
const keeping = (node: Structural): Structural =>
  node.preserveUnknown ? node : { ...node, preserveUnknown: true };

/**
 * Returns the schema of the value under a key: undefined for an unknown key, true if any value is allowed.
 */
const knownUnder = (node: Structural, key: string): Structural | true | undefined =>
  node.properties.get(key) ?? node.additional;

/** True if `null` is retained for now. If the schema has a default, the default replaces it later. */
const mayBeNull = (known: Structural | true): boolean =>
  known === true || known.nullable || known.default !== undefined;

/** Returns a preserved value of unknown schema, with sorted keys. */
function kept(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) value[at] = kept(value[at]);
    return value;
  }
  if (!isObject(value)) return value;
  return sortedObject(new Map(Object.keys(value).map((key) => [key, kept(value[key])])));
}

function sortedObject(entries: ReadonlyMap<string, unknown>): JsonObject {
  const object: JsonObject = {};
  for (const key of [...entries.keys()].sort()) setOwn(object, key, entries.get(key));
  return object;
}

import { spend } from '../../base/budget/index.ts';
import { type JsonObject, isObject, setOwn } from '../schema/own.ts';
import type { Structural } from './structural.ts';

/** What pruning carries along. */
export interface PruneContext {
  /** Segments that lead to the value. */
  readonly path: (string | number)[];
  /** Told of each field that is left out, standing in what `path` leads to. */
  unknown(key: string): void;
  /** Whether `null` stays where the schema neither allows it nor has a default in its place. */
  readonly keepsNulls: boolean;
  /** Decodes kind, apiVersion or metadata of the object or of one within it, at `path`. */
  typeField(key: string, value: unknown): unknown;
}

/** Work units of one object. */
const OBJECT_WORK = 0.5;

const TYPE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The value without what its schema does not know, keys sorted as Go writes maps. Lists are changed in place. The schema is
 * undefined where nothing is known of the value. Release 1.24, `PruneWithOptions`, then `PruneNonNullableNullsWithoutDefaults`.
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

/** Upstream writes the metadata back as it understood it, without a time that nobody gave. */
function typeField(key: string, value: unknown, context: PruneContext): unknown {
  context.path.push(key);
  const decoded = context.typeField(key, value);
  context.path.pop();
  if (key === 'metadata' && isObject(decoded) && decoded['creationTimestamp'] === null)
    delete decoded['creationTimestamp'];
  return decoded;
}

/** Items of a list that keeps what it does not know do so themselves. */
const keeping = (node: Structural): Structural =>
  node.preserveUnknown ? node : { ...node, preserveUnknown: true };

/** What the schema says of the value under a key: nothing, that there may be one, or how it looks. */
const knownUnder = (node: Structural, key: string): Structural | true | undefined =>
  node.properties.get(key) ?? node.additional;

/** Where the schema has a default, the defaults take the place of `null`. */
const mayBeNull = (known: Structural | true): boolean =>
  known === true || known.nullable || known.default !== undefined;

/** A value of which nothing is known and that stays, keys sorted. */
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

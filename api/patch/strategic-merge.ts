import type { Schema, StructSchema } from '../schema/schema.ts';
import { resolve } from '../schema/schema.ts';
import { type JsonObject, cloneJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import { type PatchRule, fieldOf, patchRuleOf } from '../schema/walk.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import type { Floats } from '../schema/json.ts';
import { type PatchError, wrongKind } from './patch-error.ts';
import { isMap, withNumbers, withWritten } from './written-float.ts';
import {
  badDirective,
  badElementOrder,
  badPrimitiveList,
  badRetainKeys,
  goTypeOf,
  unexpectedType,
  unmergeable,
} from './strategic-errors.ts';
import { type ItemMerger, checkElementOrder, mergeList, mergeOrdered } from './strategic-lists.ts';

/**
 * Number of times that the keys of a map are visited: for directives, for element orders, and for merging.
 */
const PASSES = 4;
const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ELEMENT_ORDER = '$setElementOrder';
const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';

/**
 * Applies a strategic merge patch as release 1.24 does, by the patch strategies and merge keys that `schema`
 * declares. Supports `$patch`, `$retainKeys`, `$setElementOrder/list` and `$deleteFromPrimitiveList/list`. A
 * null removes its key. It adds nothing if the object has no value under the key or a value of another type.
 *
 * `floats` lists the numbers of the patch that were not written as integers. As a merge key, `80.0` differs
 * from `80` in the object. Changes neither argument. Throws `PatchError`.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: unknown,
  schema: StructSchema,
  floats?: Floats,
): JsonObject {
  if (patch !== null && !isObject(patch)) throw wrongKind(patch, 'map[string]interface {}');
  const merged = (changes: JsonObject): JsonObject => mergeMap(cloneJson(document), changes, schema);
  const changes = cloneJson(patch ?? {});
  return floats === undefined
    ? merged(changes)
    : (withNumbers(merged(withWritten(changes, floats) as JsonObject)) as JsonObject);
}

/** Merges a map and changes both arguments. `schema` is undefined for undeclared parts of the object. */
function mergeMap(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, DIRECTIVE)) return obeyDirective(patch);
  obeyRetainKeys(original, patch);
  obeyElementOrders(original, patch, schema);
  const keys = Object.keys(patch);
  chargeKeys(keys.length * PASSES);
  for (const key of keys) mergeKey(original, key, patch[key], schema);
  return original;
}

function obeyDirective(patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw badDirective(directive, patch);
  delete patch[DIRECTIVE];
  return patch;
}

/**
 * Removes all keys of the original that `$retainKeys` does not name. Rejects a patch that sets keys which
 * `$retainKeys` does not name.
 */
function obeyRetainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const named = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(named)) throw badRetainKeys();
  const retained = new Set<unknown>(named);
  for (const key of Object.keys(patch)) {
    const free =
      patch[key] === null || key.startsWith(DELETE_FROM_PRIMITIVE_LIST) || key.startsWith(SET_ELEMENT_ORDER);
    if (!free && !retained.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(original)) {
    if (!retained.has(key)) delete original[key];
  }
}

function targetOf(key: string, prefix: string, refusal: () => PatchError): string {
  if (!key.startsWith(`${prefix}/`)) throw refusal();
  return key.slice(prefix.length + 1);
}

/** Merges each list that has a `$setElementOrder`. Removes the list and the directive from the patch. */
function obeyElementOrders(original: JsonObject, patch: JsonObject, schema: Schema | undefined): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(SET_ELEMENT_ORDER)) continue;
    const order = patch[directive];
    delete patch[directive];
    if (!Array.isArray(order)) throw unexpectedType('list', order);
    const key = targetOf(directive, SET_ELEMENT_ORDER, badElementOrder);
    const live = listAt(original, key);
    const changes = listAt(patch, key);
    const { rule, items } = lookUp(schema, key);
    checkElementOrder(changes ?? [], order, rule.mergeKey);
    if (!live && !changes) continue;
    const merger = mergerOf(items);
    const merged = mergeOrdered(live, changes, order, rule, merger);
    setOwn(original, key, merged);
    delete patch[key];
  }
}

function listAt(object: JsonObject, key: string): unknown[] | undefined {
  const value = getOwn(object, key);
  if (value === undefined || Array.isArray(value)) return value;
  throw unexpectedType('list', value);
}

function mergeKey(original: JsonObject, patchKey: string, change: unknown, schema: Schema | undefined): void {
  const deletes = patchKey.startsWith(DELETE_FROM_PRIMITIVE_LIST);
  const key = deletes ? targetOf(patchKey, DELETE_FROM_PRIMITIVE_LIST, badPrimitiveList) : patchKey;
  if (change === null) {
    delete original[key];
    return;
  }
  const held = getOwn(original, key);
  if (held !== undefined && goTypeOf(held) === goTypeOf(change))
    setOwn(original, key, mergeValue(held, change, key, schema, deletes));
  else if (!deletes) setOwn(original, key, withoutNulls(change));
}

/** Removes null members from a patch value, in place. Null items of lists are retained. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) for (const item of value) withoutNulls(item);
  else if (isMap(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else withoutNulls(value[key]);
    }
  }
  return value;
}

function mergeValue(
  held: unknown,
  change: unknown,
  key: string,
  schema: Schema | undefined,
  deletes: boolean,
): unknown {
  if (isObject(held) && isMap(change)) {
    const { rule, schema: inner } = lookUp(schema, key);
    return rule.strategy === 'replace' ? change : mergeMap(held, change, inner);
  }
  if (Array.isArray(held) && Array.isArray(change)) {
    const { rule, items } = lookUp(schema, key);
    return rule.strategy === 'merge' ? mergeList(held, change, rule, mergerOf(items), deletes) : change;
  }
  return change;
}

const mergerOf =
  (items: Schema | undefined): ItemMerger =>
  (held, change) =>
    mergeMap(held, change, items);

interface Found {
  readonly rule: PatchRule;
  readonly schema: Schema | undefined;
  /** Schema of the items if the value is a list. */
  readonly items: Schema | undefined;
}

const NO_RULE: PatchRule = { strategy: undefined, retainKeys: false, mergeKey: undefined };

/** Returns the declared rule and schema of a key of a map or struct. */
function lookUp(schema: Schema | undefined, key: string): Found {
  const target = schema && resolve(schema);
  if (target?.kind === 'map') return found(NO_RULE, target.values);
  if (target?.kind !== 'struct') return found(NO_RULE, undefined);
  const field = fieldOf(target, key);
  if (!field) {
    const name = target.name.slice(target.name.lastIndexOf('.') + 1);
    throw unmergeable(`unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`);
  }
  return found(patchRuleOf(field.options), field.schema);
}

function found(rule: PatchRule, schema: Schema | undefined): Found {
  const target = schema && resolve(schema);
  return { rule, schema, items: target?.kind === 'array' ? target.items : undefined };
}

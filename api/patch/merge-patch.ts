import { type JsonObject, cloneJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import { chargeItems, chargeKeys } from '../schema/tree-work.ts';
import { PatchError } from './patch-error.ts';

/**
 * Applies a JSON merge patch (RFC 7386): objects are merged, null removes a member, and all other values are
 * replaced. Changes neither argument; the result shares nothing with them. Throws `PatchError` for a patch
 * that is not an object.
 */
export function applyMergePatch(document: unknown, patch: unknown): JsonObject {
  if (!isObject(patch)) throw new PatchError('malformed', 'Invalid JSON Patch');
  return merge(document, patch);
}

function merge(document: unknown, patch: JsonObject): JsonObject {
  const source = isObject(document) ? document : {};
  const result: JsonObject = {};
  const [held, given] = [Object.keys(source), Object.keys(patch)];
  chargeKeys(held.length);
  chargeKeys(given.length);
  for (const key of held) {
    const change = getOwn(patch, key);
    if (change === undefined) setOwn(result, key, cloneJson(source[key]));
    else if (change !== null) setOwn(result, key, changed(source[key], change));
  }
  for (const key of given) {
    const change = patch[key];
    if (change !== null && !Object.hasOwn(source, key)) setOwn(result, key, changed(undefined, change));
  }
  return result;
}

function changed(held: unknown, change: unknown): unknown {
  if (isObject(change)) return merge(held, change);
  return isObject(held) ? cloneJson(change) : withoutNulls(change);
}

/**
 * Removes null members of objects in a list. Upstream does this in addition to the RFC, except in a list that
 * replaces an object.
 */
function withoutNulls(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  chargeItems(value.length);
  return value.map((item) => (isObject(item) ? merge({}, item) : withoutNulls(item)));
}

import { spend } from '../../base/budget/index.ts';
import { writeJson } from '../schema/exact-json.ts';
import { cloneJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import type { Structural } from './structural.ts';

/**
 * Sets the defaults of a schema in place, like `Default` of release 1.24. Defaults are set for missing
 * values, for `null` where the schema forbids it, and within defaults that have just been set.
 */
export function applyStructuralDefaults(node: Structural | undefined, value: unknown): void {
  if (node === undefined || !hasDefaults(node)) return;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      if (value[at] === null && node.items && !node.items.nullable) value[at] = defaultOf(node.items);
      applyStructuralDefaults(node.items, value[at]);
    }
    return;
  }
  if (!isObject(value)) return;
  spend(OBJECT_WORK + node.properties.size * PROPERTY_WORK);
  for (const [key, property] of node.properties) {
    if (property.default === undefined) continue;
    const held = getOwn(value, key);
    if (held === undefined || (held === null && !property.nullable)) setOwn(value, key, defaultOf(property));
  }
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key);
    const other = node.additional === true ? undefined : node.additional;
    if (!property && other && value[key] === null && !other.nullable) setOwn(value, key, defaultOf(other));
    applyStructuralDefaults(property ?? other, value[key]);
  }
}

/** Work units for an object, for each declared property, and for each character that a default adds. */
const OBJECT_WORK = 0.5;
const PROPERTY_WORK = 0.05;
const BYTE_WORK = 0.02;

function defaultOf(node: Structural): unknown {
  const { default: value } = node;
  if (value === undefined) return null;
  spend(sizeOf(node) * BYTE_WORK);
  return cloneJson(value);
}

const sizes = new WeakMap<Structural, number>();

/** Returns the number of characters of a default in JSON. */
function sizeOf(node: Structural): number {
  const known = sizes.get(node);
  if (known !== undefined) return known;
  const size = writeJson(node.default).length;
  sizes.set(node, size);
  return size;
}

const defaulting = new WeakMap<Structural, boolean>();

/** True if the schema or a part of it has a default. Trees without defaults are skipped as a whole. */
function hasDefaults(node: Structural): boolean {
  const known = defaulting.get(node);
  if (known !== undefined) return known;
  const parts = [
    ...node.properties.values(),
    node.items,
    node.additional === true ? undefined : node.additional,
  ];
  const found = parts.some((part) => part !== undefined && (part.default !== undefined || hasDefaults(part)));
  defaulting.set(node, found);
  return found;
}

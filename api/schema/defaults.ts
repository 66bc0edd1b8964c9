import { spend } from '../../base/budget/index.ts';
import { cloneJson, getOwn, isObject, setOwn } from './own.ts';
import { chargeItems, chargeKeys } from './tree-work.ts';
import { type Field, type Schema, type StructSchema, resolve } from './schema.ts';

/**
 * Sets the defaults of a decoded value, in place. Follows the order of Go's `SetObjectDefaults`: the defaults
 * of a struct's fields, the struct's `defaults` function, then the nested structs that are present by then.
 */
export function applyDefaults(schema: StructSchema, value: unknown): void {
  if (isObject(value)) defaulterOf(schema)?.(value);
}

type Defaulter = (value: unknown) => void;

const defaulters = new WeakMap<Schema, Defaulter | null>();

/**
 * Returns the defaulter of a schema; undefined if nothing within the schema has a default, so that whole
 * trees are skipped.
 */
function defaulterOf(schema: Schema): Defaulter | undefined {
  const target = resolve(schema);
  const known = defaulters.get(target);
  if (known !== undefined) return known ?? undefined;
  const defaulter = hasDefaults(target, new Set()) ? compile(target) : undefined;
  defaulters.set(target, defaulter ?? null);
  return defaulter;
}

function hasDefaults(schema: Schema, seen: Set<Schema>): boolean {
  const target = resolve(schema);
  if (seen.has(target)) return false;
  seen.add(target);
  switch (target.kind) {
    case 'scalar':
    case 'any':
    case 'either':
      return false;
    case 'array':
      return hasDefaults(target.items, seen);
    case 'map':
      return hasDefaults(target.values, seen);
    case 'struct':
      return (
        target.defaults !== undefined ||
        Object.values(target.fields).some(
          (field) => field.options.default !== undefined || hasDefaults(field.schema, seen),
        )
      );
  }
}

/**
 * Compiles the defaulter of a schema. Defaulters of nested schemas are looked up on first use, because types
 * may refer to each other in a cycle.
 */
function compile(schema: Exclude<Schema, { readonly kind: 'ref' }>): Defaulter | undefined {
  switch (schema.kind) {
    case 'scalar':
    case 'any':
    case 'either':
      return undefined;
    case 'array':
      return (value) => {
        if (!Array.isArray(value)) return;
        chargeItems(value.length);
        const each = defaulterOf(schema.items);
        if (each) for (const item of value) each(item);
      };
    case 'map':
      return (value) => {
        if (!isObject(value)) return;
        const each = defaulterOf(schema.values);
        if (!each) return;
        const keys = Object.keys(value);
        chargeKeys(keys.length);
        for (const key of keys) each(value[key]);
      };
    case 'struct':
      return structDefaulter(schema);
  }
}

/** Work units for a struct, and for each field that has a default or may contain defaults. */
const STRUCT = 0.2;
const FIELD = 0.05;

function structDefaulter(schema: StructSchema): Defaulter {
  const entries = Object.entries(schema.fields);
  const own = entries.filter(([, field]) => field.options.default !== undefined);
  const parts = entries.filter(([, field]) => hasDefaults(field.schema, new Set()));
  const entriesOfInterest = own.length + parts.length;
  return (value) => {
    if (!isObject(value)) return;
    spend(STRUCT + entriesOfInterest * FIELD);
    for (const [name, field] of own) {
      if (isUnset(field, getOwn(value, name))) setOwn(value, name, cloneJson(field.options.default));
    }
    schema.defaults?.(value as never);
    for (const [name, field] of parts) {
      const part = getOwn(value, name);
      if (part !== undefined && part !== null) defaulterOf(field.schema)?.(part);
    }
  };
}

/**
 * True if a field has no value. Go compares a field held by value with its zero value, and a pointer with
 * nil.
 */
const isUnset = (field: Field, value: unknown): boolean =>
  value === undefined || value === null || (field.presence !== 'optional' && (value === '' || value === 0));

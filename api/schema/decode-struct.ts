import { spend } from '../../base/budget/index.ts';
import type { Codec, Later } from './codec.ts';
import { type DecodeContext, MAX_UNKNOWN, contextOf, paidPathTo, refuseType } from './decode-context.ts';
import { customResourceBuilder } from './decode-custom-resource.ts';
import { type FieldCodec, fieldCodec, fieldValue } from './decode-field.ts';
import type { Decoder } from './decode-scalar.ts';
import { type JsonObject, isObject, setOwn } from './own.ts';
import type { StructSchema } from './schema.ts';

/** Measured work units for a key of a struct and for a declared field. */
const KEY = 0.15;
const FIELD = 0.015;

const NOWHERE = contextOf(false, false);

const LEADING: readonly string[] = ['kind', 'apiVersion', 'metadata'];

/** Compiles a struct, or a custom resource if it has a schema. */
export function structCodec(schema: StructSchema, later: Later): Codec {
  const names = Object.keys(schema.fields);
  const ordered = [
    ...LEADING.filter((name) => Object.hasOwn(schema.fields, name)),
    ...names.filter((name) => !LEADING.includes(name)),
  ];
  const fields = ordered.flatMap((name, place) => {
    const field = schema.fields[name];
    return field ? [fieldCodec(name, place, field, later)] : [];
  });
  const shortName = schema.name.slice(schema.name.lastIndexOf('.') + 1);
  const build = schema.root
    ? customResourceBuilder(schema.root, fields, later)
    : structBuilder(schema, fields);
  const decodeStruct: Decoder = (value, context, segment) => {
    if (!isObject(value)) return refuseType(context, segment, value, schema);
    if (context.shares && Object.isFrozen(value)) return value;
    if (segment !== undefined) context.path.push(segment);
    context.structs.push(shortName);
    const decoded = build(value, context);
    context.structs.pop();
    if (segment !== undefined) context.path.pop();
    return decoded;
  };
  return { decode: decodeStruct, zero: () => build({}, NOWHERE) };
}

function structBuilder(
  schema: StructSchema,
  fields: readonly FieldCodec[],
): (source: JsonObject, context: DecodeContext) => JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return (source, context) => {
    const target: JsonObject = {};
    const start = context.unknown.length;
    const keys = Object.keys(source);
    // Absent fields are visited as well, so each declared field is charged.
    spend(keys.length * KEY + fields.length * FIELD);
    const given = givenOf(source, keys, byName);
    let nested: Map<string, readonly string[]> | undefined;
    for (const field of fields) {
      const before = context.unknown.length;
      const value = fieldValue(field, given.values[field.place], context);
      if (context.unknown.length > before) {
        (nested ??= new Map()).set(field.name, context.unknown.slice(before));
      }
      if (value === undefined) continue;
      if (field.inherited) setOwn(target, field.name, value);
      else target[field.name] = value;
    }
    if (given.known < keys.length || (nested?.size ?? 0) > 1)
      reportUnknown(schema, keys, nested, start, context);
    return target;
  };
}

interface Given {
  /** Values by `FieldCodec.place`; absent fields are holes. */
  readonly values: readonly unknown[];
  /** Number of keys in the object that are declared fields. */
  readonly known: number;
}

/**
 * Collects the field values of an object. Iterating over the keys is faster than iterating over the declared
 * fields, because most declared fields are absent.
 */
function givenOf(
  source: JsonObject,
  keys: readonly string[],
  fields: ReadonlyMap<string, FieldCodec>,
): Given {
  const values: unknown[] = [];
  let known = 0;
  for (const key of keys) {
    const field = fields.get(key);
    if (field === undefined) continue;
    values[field.place] = source[key];
    known += 1;
  }
  return { values, known };
}

/**
 * Reports unknown fields in the order of the request body. Unknown fields of a nested struct are reported at
 * the position of the field that contains the struct.
 */
function reportUnknown(
  schema: StructSchema,
  keys: readonly string[],
  nested: ReadonlyMap<string, readonly string[]> | undefined,
  start: number,
  context: DecodeContext,
): void {
  context.unknown.length = start;
  for (const key of keys) {
    if (context.unknown.length >= MAX_UNKNOWN) return;
    if (Object.hasOwn(schema.fields, key)) context.unknown.push(...(nested?.get(key) ?? []));
    else context.unknown.push(paidPathTo(context, key));
  }
}

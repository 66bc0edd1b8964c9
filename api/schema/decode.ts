import { decodePart } from './decode-part.ts';
import { isInSteps, part, spend, undivided } from '../../base/budget/index.ts';
import { ObjectMeta } from '../types/meta-v1.ts';
import { readJson, writeJson } from './exact-json.ts';
import { type DecodeContext, DecodeError, paidPathTo, refuseType, valueKind } from './decode-context.ts';
import { type Decoder, WRITTEN_WHEN_ZERO, ZERO_SCALARS, scalarDecoder } from './decode-scalar.ts';
import { type Floats, formatPath } from './json.ts';
import { type JsonObject, getOwn, isObject, setOwn } from './own.ts';
import { chargeKeys } from './tree-work.ts';
import { shownValue } from '../structural/problems.ts';
import { pruned } from '../structural/prune.ts';
import type { StructuralNode } from './structural-node.ts';
import {
  type ArraySchema,
  type EitherSchema,
  type Field,
  type MapSchema,
  type Schema,
  type StructSchema,
  resolve,
} from './schema.ts';

export { DecodeError };

export interface Decoded<T = unknown> {
  readonly value: T;
  /** Paths of the fields that the schema does not know and that were left out (`spec.containers[0].bar`), about the
   * first hundred of them, in the order of the document. */
  readonly unknown: readonly string[];
}

export interface DecodeOptions {
  /** Leaves every `null` in a custom resource for its schema's validation to refuse; default false. */
  readonly keepsNulls?: boolean;
  /** Numbers of the document that were not written as integers: none of them is one. */
  readonly floats?: Floats | undefined;
  /** Told the paths of lists and maps that are given, and left out because they are empty. */
  readonly emptied?: ((path: string) => void) | undefined;
}

/**
 * Makes of parsed JSON what Go's decoder and encoder would: types checked, unknown fields left out, null read as
 * absent, zero values written or dropped as the presence of each field says, times, quantities, durations and bytes
 * in canonical form, map keys sorted, fields in declared order after kind, apiVersion and metadata. What is given
 * is taken over and changed. `writeJson` of the result is what is stored. Throws `DecodeError`.
 */
export function decode<T = unknown>(
  schema: StructSchema,
  value: unknown,
  { keepsNulls = false, floats, emptied }: DecodeOptions = {},
): Decoded<T> {
  const context = contextOf(keepsNulls, false, floats, emptied);
  const decoded = codecOf(schema).decode(value, context, undefined);
  return { value: decoded as T, unknown: context.unknown };
}

/** All members at once: contexts of every decoding then have one shape, which spread ones have not. */
const contextOf = (
  keepsNulls: boolean,
  shares: boolean,
  floats?: DecodeContext['floats'],
  emptied?: DecodeContext['emptied'],
): DecodeContext => ({
  path: [],
  outside: 0,
  structs: [],
  mapKeys: [],
  unknown: [],
  keepsNulls,
  shares,
  floats,
  emptied,
});

const NOWHERE = contextOf(false, false);

/**
 * The same for a value at hand: it is left as it is. Its frozen parts are taken to be canonical and become parts of the
 * result. What is undefined counts as absent.
 */
export function recode<T = unknown>(schema: StructSchema, value: unknown): Decoded<T> {
  // What an apply has left empty is for the schema to refuse, as upstream has it.
  if (schema.root) return decode(schema, readJson(writeJson(value)), { keepsNulls: true });
  const context = contextOf(false, true);
  const decoded = codecOf(schema).decode(value, context, undefined);
  return { value: decoded as T, unknown: context.unknown };
}

/** A schema made ready: how a value is decoded, and what stands for a missing one. */
interface Codec {
  readonly decode: Decoder;
  /** What is written where a value must be and none is: made anew each time. */
  readonly zero: () => unknown;
}

/** Units of work, as measured: an item of a list, a key of a struct, and a field of its type. */
const ITEM = 0.1;
const KEY = 0.15;
const FIELD = 0.015;

/** As many as upstream reports; a document full of unknown fields would cost memory without bound. */
const MAX_UNKNOWN = 100;

const codecs = new WeakMap<Schema, Codec>();

function codecOf(schema: Schema): Codec {
  const target = resolve(schema);
  const known = codecs.get(target);
  if (known) return known;
  const codec = compile(target);
  codecs.set(target, codec);
  return codec;
}

function compile(schema: Exclude<Schema, { readonly kind: 'ref' }>): Codec {
  switch (schema.kind) {
    case 'scalar': {
      const zero = ZERO_SCALARS[schema.format];
      return { decode: scalarDecoder(schema), zero: () => zero };
    }
    case 'any':
      return { decode: (value) => value, zero: () => null };
    case 'array':
      return { decode: arrayDecoder(schema, within(schema.items)), zero: () => null };
    case 'map':
      return { decode: mapDecoder(schema, within(schema.values)), zero: () => null };
    case 'struct':
      return structCodec(schema);
    case 'either':
      return eitherCodec(schema);
  }
}

/** Go tells the two apart by the first character. */
function eitherCodec(schema: EitherSchema): Codec {
  const struct = later(schema.struct);
  const other = later(schema.other);
  const isOther =
    schema.other.kind === 'array' ? Array.isArray : (value: unknown) => typeof value === 'boolean';
  return {
    decode: (value, context, segment) => {
      if (isObject(value)) return struct().decode(value, context, segment);
      return isOther(value)
        ? other().decode(value, context, segment)
        : refuseType(context, segment, value, schema);
    },
    zero: () => null,
  };
}

/** The codec of a part, compiled when it is first met: types may refer to each other in a circle. */
function later(schema: Schema): () => Codec {
  let codec: Codec | undefined;
  return () => (codec ??= codecOf(schema));
}

const EMPTY_BYTES = (): string => '';

/** For lists and maps: what upstream stores of bytes that are null cannot be told from none, and is read as the empty text. */
function within(schema: Schema): () => Codec {
  const codec = later(schema);
  if (schema.kind !== 'scalar' || schema.format !== 'bytes') return codec;
  let held: Codec | undefined;
  return () => (held ??= { ...codec(), zero: EMPTY_BYTES });
}

/** Whether items or values of this schema are large enough to be parts of the work. */
const isDivided = (schema: Schema): boolean => isInSteps() && resolve(schema).kind !== 'scalar';

const decodeGiven = (
  value: unknown,
  codec: Codec,
  context: DecodeContext,
  segment: string | number,
): unknown => (value === null || value === undefined ? codec.zero() : codec.decode(value, context, segment));

function arrayDecoder(schema: ArraySchema, items: () => Codec): Decoder {
  return (value, context, segment) => {
    if (!Array.isArray(value)) return refuseType(context, segment, value, schema);
    if (context.shares && Object.isFrozen(value)) return value;
    const target: unknown[] = context.shares ? [] : value;
    const { decode: decodeItem, zero } = items();
    if (segment !== undefined) context.path.push(segment);
    if (isDivided(schema.items)) {
      part(() => spend(value.length * ITEM));
      for (let index = 0; index < value.length; index += 1)
        target[index] = decodePart(() => decodeGiven(value[index], items(), context, index), context);
    } else {
      spend(value.length * ITEM);
      for (let index = 0; index < value.length; index += 1) {
        const item: unknown = value[index];
        target[index] = item === null || item === undefined ? zero() : decodeItem(item, context, index);
      }
    }
    if (segment !== undefined) context.path.pop();
    return target;
  };
}

function mapDecoder(schema: MapSchema, values: () => Codec): Decoder {
  return (value, context, segment) => {
    if (!isObject(value)) return refuseType(context, segment, value, schema);
    if (context.shares && Object.isFrozen(value)) return value;
    const target = context.shares ? {} : value;
    const { decode: decodeValue, zero } = values();
    if (segment !== undefined) context.path.push(segment);
    const keys = presentKeys(value, context);
    context.mapKeys.push(context.path.length);
    if (isDivided(schema.values)) {
      part(() => chargeKeys(2 * keys.length));
      for (const key of keys)
        setOwn(
          target,
          key,
          decodePart(() => decodeGiven(value[key], values(), context, key), context),
        );
    } else {
      chargeKeys(2 * keys.length);
      for (const key of keys) {
        const held = value[key];
        setOwn(target, key, held === null ? zero() : decodeValue(held, context, key));
      }
    }
    context.mapKeys.pop();
    if (segment !== undefined) context.path.pop();
    return isSorted(keys) ? target : sorted(target, keys);
  };
}

/** Parsed JSON has nothing that is undefined. */
function presentKeys(value: JsonObject, { shares }: DecodeContext): readonly string[] {
  const keys = Object.keys(value);
  return shares ? keys.filter((key) => value[key] !== undefined) : keys;
}

function isSorted(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at += 1) {
    if ((keys[at] ?? '') < (keys[at - 1] ?? '')) return false;
  }
  return true;
}

function sorted(object: JsonObject, keys: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const key of keys.toSorted()) setOwn(copy, key, object[key]);
  return copy;
}

interface FieldCodec {
  readonly name: string;
  /** Among the fields, in the order in which they are written. */
  readonly place: number;
  /** The name is also one that every object inherits, such as `constructor`. */
  readonly inherited: boolean;
  readonly codec: () => Codec;
  /** Whether a value is zero, and is written as one that is absent. */
  readonly drops: (value: unknown) => boolean;
  /** What is written when there is no value; undefined when nothing is. */
  readonly absent: () => unknown;
}

const LEADING: readonly string[] = ['kind', 'apiVersion', 'metadata'];

function structCodec(schema: StructSchema): Codec {
  const names = Object.keys(schema.fields);
  const ordered = [
    ...LEADING.filter((name) => Object.hasOwn(schema.fields, name)),
    ...names.filter((name) => !LEADING.includes(name)),
  ];
  const fields = ordered.flatMap((name, place) => {
    const field = schema.fields[name];
    return field ? [fieldCodec(name, place, field)] : [];
  });
  const shortName = schema.name.slice(schema.name.lastIndexOf('.') + 1);
  const build = schema.root ? rootBuilder(schema.root, fields) : structBuilder(schema, fields);
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
    // Every field is looked at, also those that are absent.
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
  /** By `FieldCodec.place`; none where a field is absent. */
  readonly values: readonly unknown[];
  /** How many of the keys are fields. */
  readonly known: number;
}

/** What an object gives, by way of the few keys that it has: most fields of a large type are absent. */
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

/** A custom resource: what every object has by its type, all else by the resource's own schema. */
function rootBuilder(
  root: StructuralNode,
  fields: readonly FieldCodec[],
): (source: JsonObject, context: DecodeContext) => JsonObject {
  const embedded = { ...root, embedded: true };
  return (source, context) => {
    const prune = (): unknown =>
      pruned(embedded, source, {
        path: context.path,
        keepsNulls: context.keepsNulls,
        unknown(key) {
          if (context.unknown.length < MAX_UNKNOWN) context.unknown.push(paidPathTo(context, key));
        },
        typeField: (key, value) => typeField(key, value, context),
      });
    // Pruned in place, and what was left out is told once: interrupted it could not be done again.
    const rest = decodePart(() => undivided(prune), context) as JsonObject;
    const target: JsonObject = {};
    for (const field of fields) {
      const given = getOwn(rest, field.name);
      delete rest[field.name];
      const decoded = field.name === 'metadata' && isObject(given);
      const value = decoded ? given : fieldValue(field, given, context);
      if (value !== undefined) target[field.name] = value;
    }
    for (const key of Object.keys(rest)) setOwn(target, key, rest[key]);
    return target;
  };
}

const metadataCodec = later(ObjectMeta);

/** What a custom resource, or an object within one, says of itself, at the path: upstream decodes the metadata by itself. */
function typeField(key: string, value: unknown, context: DecodeContext): unknown {
  const { path } = context;
  const isRoot = path.length === 1;
  if (key !== 'metadata') {
    if (isRoot || typeof value === 'string') return value;
    throw misfit(context, value, 'must be a string');
  }
  if (value === null) return value;
  context.outside = path.length;
  try {
    return metadataCodec().decode(value, context, undefined);
  } catch (thrown) {
    throw isRoot || !(thrown instanceof DecodeError) ? thrown : misfit(context, value, thrown.message);
  } finally {
    context.outside = 0;
  }
}

/** What an object within a custom resource is refused for, as upstream's field errors have it. */
const misfit = ({ path }: DecodeContext, value: unknown, why: string): DecodeError =>
  new DecodeError('format', `${formatPath(path)}: Invalid value: ${shownValue(value)}: ${why}`, {
    path: formatPath(path),
    found: valueKind(value),
    schema: ObjectMeta,
  });

/** Unknown fields are named in the order of the document, those within a known field where that field stands. */
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

function fieldValue(field: FieldCodec, given: unknown, context: DecodeContext): unknown {
  if (given === undefined || given === null) return field.absent();
  const value = field.codec().decode(given, context, field.name);
  if (value === null) return field.absent();
  if (!field.drops(value)) return value;
  if (typeof value === 'object' && context.emptied) context.emptied(paidPathTo(context, field.name));
  return field.absent();
}

const NOTHING = (): undefined => undefined;
const NULL = (): null => null;

function fieldCodec(name: string, place: number, { schema, presence, options }: Field): FieldCodec {
  const codec = later(schema);
  return {
    name,
    place,
    inherited: name in Object.prototype,
    codec,
    drops: dropsOf(schema, presence, options.keepsEmpty === true),
    absent: absentOf(schema, presence, options.nullable === true, codec),
  };
}

function absentOf(
  schema: Schema,
  presence: Field['presence'],
  nullable: boolean,
  codec: () => Codec,
): () => unknown {
  if (presence === 'optional') return NOTHING;
  if (presence === 'required') return nullable ? NULL : () => codec().zero();
  // A struct that is no pointer is written even where the field says to leave it out.
  const target = resolve(schema);
  const written =
    target.kind === 'struct' ||
    target.kind === 'any' ||
    (target.kind === 'scalar' && WRITTEN_WHEN_ZERO.has(target.format));
  return written ? () => codec().zero() : NOTHING;
}

const NEVER = (): boolean => false;

const IS_EMPTY_LIST = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

function dropsOf(
  schema: Schema,
  presence: Field['presence'],
  keepsEmpty: boolean,
): (value: unknown) => boolean {
  const target = resolve(schema);
  if (presence === 'optional') return NEVER;
  if (presence === 'required') return target.kind === 'array' && !keepsEmpty ? IS_EMPTY_LIST : NEVER;
  switch (target.kind) {
    case 'struct':
    case 'any':
    case 'either':
      return NEVER;
    case 'array':
      return IS_EMPTY_LIST;
    case 'map':
      return (value) => isObject(value) && Object.keys(value).length === 0;
    case 'scalar':
      if (WRITTEN_WHEN_ZERO.has(target.format)) return NEVER;
      return (value) => value === '' || value === 0 || value === false;
  }
}

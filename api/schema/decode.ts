import { isInSteps, part, spend } from '../../base/budget/index.ts';
import type { Codec, Later } from './codec.ts';
import { type DecodeContext, DecodeError, contextOf, refuseType } from './decode-context.ts';
import { decodePart } from './decode-part.ts';
import { type Decoder, ZERO_SCALARS, scalarDecoder } from './decode-scalar.ts';
import { structCodec } from './decode-struct.ts';
import { readJson, writeJson } from './exact-json.ts';
import type { Floats } from './json.ts';
import { type JsonObject, isObject, setOwn } from './own.ts';
import {
  type ArraySchema,
  type EitherSchema,
  type MapSchema,
  type Schema,
  type StructSchema,
  resolve,
} from './schema.ts';
import { chargeKeys } from './tree-work.ts';

export { DecodeError };

/** Decoded value and the unknown fields that were dropped. */
export interface Decoded<T = unknown> {
  readonly value: T;
  /**
   * Paths of dropped unknown fields (`spec.containers[0].bar`) in the order of the request body, at most
   * about one hundred.
   */
  readonly unknown: readonly string[];
}

/** Options of `decode`. */
export interface DecodeOptions {
  /**
   * True to retain each `null` of a custom resource, so that validation against its schema can reject it.
   * Default false.
   */
  readonly keepsNulls?: boolean;
  /**
   * Source text, by path, of the numbers that were not written as integers. Integer fields reject these
   * numbers.
   */
  readonly floats?: Floats | undefined;
  /** Called with the path of each list and map that is present but is dropped because it is empty. */
  readonly emptied?: ((path: string) => void) | undefined;
}

/**
 * Converts parsed JSON to the value that Go's decoder and encoder would produce. The store holds this value
 * as `writeJson` writes it.
 *
 * Types are checked, unknown fields dropped, and null is read as absent. Zero values are written or dropped
 * according to each field's presence. Times, quantities, durations and bytes become canonical. Map keys are
 * sorted; fields follow kind, apiVersion and metadata in their declared order. Takes ownership of `value` and
 * changes it. Throws `DecodeError`.
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

/**
 * Decodes a value in memory without changing it. Frozen parts of the value must be canonical and become parts
 * of the result. Undefined members count as absent.
 */
export function recode<T = unknown>(schema: StructSchema, value: unknown): Decoded<T> {
  // Nulls are retained: as upstream, validation against the schema rejects a null that an apply has left.
  if (schema.root) return decode(schema, readJson(writeJson(value)), { keepsNulls: true });
  const context = contextOf(false, true);
  const decoded = codecOf(schema).decode(value, context, undefined);
  return { value: decoded as T, unknown: context.unknown };
}

/** Measured work units for an item of a list. */
const ITEM = 0.1;

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
      return structCodec(schema, later);
    case 'either':
      return eitherCodec(schema);
  }
}

/**
 * Compiles a type that is a struct or another type. Like Go, the codec decides by the JSON type of the value.
 */
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

const later: Later = (schema) => {
  let codec: Codec | undefined;
  return () => (codec ??= codecOf(schema));
};

const EMPTY_BYTES = (): string => '';

/**
 * Returns the codec of list items or map values. Protobuf cannot distinguish null bytes in a list or map from
 * empty bytes, so null is read as the empty string.
 */
function within(schema: Schema): () => Codec {
  const codec = later(schema);
  if (schema.kind !== 'scalar' || schema.format !== 'bytes') return codec;
  let held: Codec | undefined;
  return () => (held ??= { ...codec(), zero: EMPTY_BYTES });
}

/**
 * True if items or values of this schema are separate parts of the work: while work is done in steps, all but
 * scalars.
 */
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

/**
 * Returns the keys with a defined value. Parsed JSON has no undefined values, so only the keys of values in
 * memory are filtered.
 */
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

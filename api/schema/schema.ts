import type { Int64 } from './exact-json.ts';
import type { StructuralNode } from './structural-node.ts';
import type { Product } from '../vocabulary/vocabulary.ts';

/**
 * The schema language. A type is a value: JSON-Schema form plus what the API needs to know beyond it (protobuf
 * numbers, list types, patch keys, how absent and zero values are written). Static types are inferred from it.
 * Named types refer to each other by value and by name, so neither editors nor emitted declarations write a nested
 * type out again: `export interface PodSpec extends Infer<typeof PodSpec> {}` beside every struct.
 */
declare const type: unique symbol;

interface Typed<T> {
  /** Never present; carries the static type. */
  readonly [type]?: T;
}

/** `format` decides the wire form: bytes are base64, time RFC 3339 in seconds, micro-time in microseconds. */
export type ScalarFormat =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'quantity'
  | 'int-or-string';

export interface ScalarSchema<T = unknown> extends Typed<T> {
  readonly kind: 'scalar';
  readonly format: ScalarFormat;
  /** Allowed values; also makes the static type a union. Checked by validation, not by decoding. */
  readonly enum?: readonly string[];
  /** Documents do not list the values. */
  readonly open?: boolean;
}

export interface ArraySchema<T = unknown> extends Typed<T[]> {
  readonly kind: 'array';
  readonly items: Schema;
  /** A named list type: protobuf wraps it in a message whose field 1 holds the items. */
  readonly wrapped?: boolean;
}

export interface MapSchema<T = unknown> extends Typed<Record<string, T>> {
  readonly kind: 'map';
  readonly values: Schema;
}

/** Anything at all: a raw extension, fieldsV1. Kept as it came. */
export interface AnySchema<T = unknown> extends Typed<T> {
  readonly kind: 'any';
  /** A whole API object lies in it (kind, apiVersion, metadata are its own). */
  readonly embedded?: boolean;
  /** Any JSON value, scalars and lists too; apply owns it as one piece. */
  readonly json?: boolean;
  /** As a struct's, where it is not that of raw extensions. */
  readonly name?: string;
}

/** A struct, or in JSON in its place a value of another type (`JSONSchemaPropsOrBool`). */
export interface EitherSchema<T = unknown> extends Typed<T> {
  readonly kind: 'either';
  /** As a struct's. */
  readonly name: string;
  readonly struct: RefSchema;
  /** A boolean or a list. In protobuf a list is field 2 of the message and the struct field 1, with a boolean the reverse. */
  readonly other: ScalarSchema | ArraySchema;
}

export interface StructSchema<F extends Fields = Fields> {
  readonly kind: 'struct';
  /** Name in OpenAPI without the prefix of the vocabulary, such as `api.core.v1.PodSpec`. */
  readonly name: string;
  readonly fields: F;
  /** The struct is replaced whole by apply and owned by one manager. */
  readonly mapType?: 'atomic' | 'granular';
  /** The field whose value says which one of the others is set: that of the same name, with a capital. */
  readonly discriminator?: string;
  /** Computes defaults of a decoded value in place, after the fields' own defaults: what data cannot say. */
  readonly defaults?: (value: never) => void;
  /**
   * The schema of a custom resource, which decides of all besides `fields` (kind, apiVersion and metadata): what it does not
   * know is left out where it says so, `null` may stay, the rest is kept as it came, keys sorted.
   */
  readonly root?: StructuralNode;
}

export type Schema<T = unknown> =
  ScalarSchema<T> | ArraySchema | MapSchema | AnySchema<T> | EitherSchema<T> | StructSchema | RefSchema<T>;

/** A named type; a function where types refer to each other in a circle. */
export interface RefSchema<T = unknown> extends Typed<T> {
  readonly kind: 'ref';
  readonly target: StructSchema | (() => StructSchema);
}

/**
 * How a field is written when it has no value, as the real system's encoder does:
 * - `required`: always written; without a value as its zero value (`""`, `0`, `false`, `{}`, `null` for lists and maps,
 *   empty lists too: the binary form they are stored in has none)
 * - `optional`: absent stays absent, any value that was given stays (a pointer that is left out when nil)
 * - `value`: a zero value is dropped (`""`, `0`, `false`, empty list or map), except a struct, always written as `{}`
 */
export type Presence = 'required' | 'optional' | 'value';

export interface FieldOptions {
  /** Filled in when absent, on every decode. */
  readonly default?: unknown;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** Not among OpenAPI's `required` although always written. */
  readonly lenient?: boolean;
  /** Zero value of a struct that is `required` and held by pointer: `null` instead of `{}`. */
  readonly nullable?: boolean;
  /** An empty list that is `required` stays one: its objects are stored as JSON. */
  readonly keepsEmpty?: boolean;
  /** Protobuf number of the message this field lies in when JSON writes that message's fields inline. */
  readonly within?: number;
  /** The field is described under this vocabulary alone; it is understood under any. */
  readonly product?: Product;
}

export interface Field<T = unknown, P extends Presence = Presence> extends Typed<T> {
  /** Protobuf field number. */
  readonly number: number;
  readonly presence: P;
  readonly schema: Schema;
  readonly options: FieldOptions;
}

export type Fields = { readonly [name: string]: Field };

type TypeOf<X> = X extends { readonly [type]?: infer T } ? T : never;
type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, 'required'> ? K : never;
}[keyof F];

/** The static type of a struct. Extend an interface of the same name from it. */
export type Infer<S> =
  S extends StructSchema<infer F>
    ? { -readonly [K in RequiredKeys<F>]: TypeOf<F[K]> } & {
        -readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: TypeOf<F[K]>;
      }
    : never;

type SchemaType<S> = S extends StructSchema<infer F> ? Infer<StructSchema<F>> : TypeOf<S>;

const scalar = <T>(format: ScalarFormat): ScalarSchema<T> => ({ kind: 'scalar', format });

export const string = scalar<string>('string');
export const boolean = scalar<boolean>('boolean');
export const int32 = scalar<number>('int32');
export const int64 = scalar<Int64>('int64');
/** A whole one past 2^53 is written as an integer, and read as one. */
export const double = scalar<number | bigint>('double');
/** Base64 text. */
export const bytes = scalar<string>('bytes');
export const time = scalar<string>('time');
export const microTime = scalar<string>('micro-time');
export const duration = scalar<string>('duration');
/** A number or its text; canonical text once decoded. */
export const quantity = scalar<string>('quantity');
export const intOrString = scalar<number | string>('int-or-string');

export const oneOf = <const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> => ({
  kind: 'scalar',
  format: 'string',
  enum: values,
});

/** The same of a type that upstream does not call an enumeration: some take other values too, and documents name none. */
export const wordOf = <const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> => ({
  ...oneOf(...values),
  open: true,
});

export const listOf = <S extends Schema>(items: S): ArraySchema<SchemaType<S>> => ({ kind: 'array', items });

export const mapOf = <S extends Schema>(values: S): MapSchema<SchemaType<S>> => ({ kind: 'map', values });

export const anything: AnySchema<unknown> = { kind: 'any' };
export const anyJson: AnySchema<unknown> = { kind: 'any', json: true };
export const embeddedObject: AnySchema<Record<string, unknown>> = { kind: 'any', embedded: true };

/** Refers to a named type by its interface: `ref<PodSpec>(PodSpec)`, or `ref<Tree>(() => Tree)` in a circle. */
export const ref = <T>(
  target: { readonly kind: 'struct' } | (() => { readonly kind: 'struct' }),
): RefSchema<T> => ({
  kind: 'ref',
  target: target as StructSchema | (() => StructSchema),
});

export const either = <T>(
  name: string,
  struct: RefSchema,
  other: ScalarSchema | ArraySchema,
): EitherSchema<T> => ({ kind: 'either', name, struct, other });

export function struct<const F extends Fields>(
  name: string,
  fields: F,
  options: Pick<StructSchema, 'mapType' | 'discriminator' | 'defaults'> = {},
): StructSchema<F> {
  return { kind: 'struct', name, fields, ...options };
}

const field =
  <P extends Presence>(presence: P) =>
  <S extends Schema>(number: number, schema: S, options: FieldOptions = {}): Field<SchemaType<S>, P> => ({
    number,
    presence,
    schema,
    options,
  });

export const required = field('required');
export const optional = field('optional');
export const value = field('value');

/** A list type with a name of its own, such as `ExtraValue`. */
export const wrappedList = <S extends Schema>(items: S): ArraySchema<SchemaType<S>> => ({
  kind: 'array',
  items,
  wrapped: true,
});

/** The fields of `source` for spreading into a struct that embeds it; `number` is its protobuf number there. */
export function inline<F extends Fields>(number: number, source: StructSchema<F>): F {
  const fields = Object.entries(source.fields).map(([name, each]) => [
    name,
    { ...each, options: { ...each.options, within: number } },
  ]);
  return Object.fromEntries(fields) as F;
}

/** The named struct behind a reference; other schemas as they are. */
export function resolve(schema: Schema): Exclude<Schema, RefSchema> {
  if (schema.kind !== 'ref') return schema;
  return typeof schema.target === 'function' ? schema.target() : schema.target;
}

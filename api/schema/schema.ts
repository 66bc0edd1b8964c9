import type { Int64 } from './exact-json.ts';
import type { StructuralNode } from './structural-node.ts';
import type { Product } from '../vocabulary/vocabulary.ts';

// The schema language. A type is a value: a JSON Schema plus what the API needs beyond it (protobuf numbers,
// list types, patch keys, how absent and zero values are written). Static types are inferred from it. Each
// struct declares an interface of the same name, `export interface PodSpec extends Infer<typeof PodSpec> {}`,
// so that editors and emitted declarations name nested types instead of writing them out.
declare const type: unique symbol;

interface Typed<T> {
  /** Never present at run time; holds the static type. */
  readonly [type]?: T;
}

/** Wire form of a scalar: bytes are base64, time is RFC 3339 in seconds, micro-time in microseconds. */
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

/** A scalar. */
export interface ScalarSchema<T = unknown> extends Typed<T> {
  readonly kind: 'scalar';
  readonly format: ScalarFormat;
  /** Allowed values; also narrows the static type to a union. Checked by validation, not by decoding. */
  readonly enum?: readonly string[];
  /** True if API documents do not list the values. */
  readonly open?: boolean;
}

/** A list. */
export interface ArraySchema<T = unknown> extends Typed<T[]> {
  readonly kind: 'array';
  readonly items: Schema;
  /** True for a named list type: protobuf wraps it in a message whose field 1 holds the items. */
  readonly wrapped?: boolean;
}

/** A map with string keys. */
export interface MapSchema<T = unknown> extends Typed<Record<string, T>> {
  readonly kind: 'map';
  readonly values: Schema;
}

/** Any value, kept as it came: a raw extension, `fieldsV1`. */
export interface AnySchema<T = unknown> extends Typed<T> {
  readonly kind: 'any';
  /** True if it holds a whole API object with kind, apiVersion and metadata. */
  readonly embedded?: boolean;
  /** True for any JSON value, scalars and lists included; server-side apply owns it as one value. */
  readonly json?: boolean;
  /** Name, as for a struct; default that of raw extensions. */
  readonly name?: string;
}

/** A struct, for which JSON also allows a value of another type (`JSONSchemaPropsOrBool`). */
export interface EitherSchema<T = unknown> extends Typed<T> {
  readonly kind: 'either';
  /** Name, as for a struct. */
  readonly name: string;
  readonly struct: RefSchema;
  /**
   * A boolean or a list. In protobuf the struct is field 1 and a list field 2; a boolean is field 1 and the
   * struct field 2.
   */
  readonly other: ScalarSchema | ArraySchema;
}

/** A struct: a named type with declared fields. */
export interface StructSchema<F extends Fields = Fields> {
  readonly kind: 'struct';
  /** Name in OpenAPI without the vocabulary's prefix, such as `api.core.v1.PodSpec`. */
  readonly name: string;
  readonly fields: F;
  /** `atomic`: apply replaces the struct as a whole, with one owner. */
  readonly mapType?: 'atomic' | 'granular';
  /** Field whose value names the member that is set: a value `Foo` selects the field `foo`. */
  readonly discriminator?: string;
  /** Sets computed defaults of a decoded value, in place, after the fields' defaults. */
  readonly defaults?: (value: never) => void;
  /**
   * Schema of a custom resource. It governs everything besides `fields` (kind, apiVersion and metadata):
   * unknown fields are pruned where it says so, `null` may stay, all else is kept with sorted keys.
   */
  readonly root?: StructuralNode;
}

/** Any schema. */
export type Schema<T = unknown> =
  ScalarSchema<T> | ArraySchema | MapSchema | AnySchema<T> | EitherSchema<T> | StructSchema | RefSchema<T>;

/** A reference to a named type; a function if types refer to each other in a cycle. */
export interface RefSchema<T = unknown> extends Typed<T> {
  readonly kind: 'ref';
  readonly target: StructSchema | (() => StructSchema);
}

/**
 * How a field without a value is written, as by upstream's encoder:
 * - `required`: always written, as its zero value if it has none (`""`, `0`, `false`, `{}`; `null` for lists and
 *   maps, empty lists included, because the stored protobuf cannot distinguish them)
 * - `optional`: a pointer with `omitempty`; absent stays absent, and any given value stays
 * - `value`: `omitempty` without a pointer; zero values (`""`, `0`, `false`, empty list or map) are dropped, but
 *   a struct is written as `{}`
 */
export type Presence = 'required' | 'optional' | 'value';

/** Options of a field. */
export interface FieldOptions {
  /** Value set on every decode if the field is absent. */
  readonly default?: unknown;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** True if OpenAPI does not list the field as `required` although it is always written. */
  readonly lenient?: boolean;
  /** True if the zero value of a `required` struct is `null`, because Go holds it by pointer. */
  readonly nullable?: boolean;
  /** True if an empty `required` list stays one, because the objects are stored as JSON. */
  readonly keepsEmpty?: boolean;
  /** Protobuf number of the message that contains this field, if JSON writes that message's fields inline. */
  readonly within?: number;
  /** Vocabulary under which the field is documented; decoding accepts it under any. */
  readonly product?: Product;
}

/** A field of a struct. */
export interface Field<T = unknown, P extends Presence = Presence> extends Typed<T> {
  /** Protobuf field number. */
  readonly number: number;
  readonly presence: P;
  readonly schema: Schema;
  readonly options: FieldOptions;
}

/** Fields of a struct by name. */
export type Fields = { readonly [name: string]: Field };

type TypeOf<X> = X extends { readonly [type]?: infer T } ? T : never;
type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, 'required'> ? K : never;
}[keyof F];

/** The static type of a struct. Declare an interface of the same name that extends it. */
export type Infer<S> =
  S extends StructSchema<infer F>
    ? { -readonly [K in RequiredKeys<F>]: TypeOf<F[K]> } & {
        -readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: TypeOf<F[K]>;
      }
    : never;

type SchemaType<S> = S extends StructSchema<infer F> ? Infer<StructSchema<F>> : TypeOf<S>;

const scalar = <T>(format: ScalarFormat): ScalarSchema<T> => ({ kind: 'scalar', format });

/** A string. */
export const string = scalar<string>('string');
/** A boolean. */
export const boolean = scalar<boolean>('boolean');
/** A 32-bit integer. */
export const int32 = scalar<number>('int32');
/** A 64-bit integer; a bigint beyond 2^53. */
export const int64 = scalar<Int64>('int64');
/** A float64. A whole number from 2^53 on is a bigint in memory and is written as an integer. */
export const double = scalar<number | bigint>('double');
/** Base64 text. */
export const bytes = scalar<string>('bytes');
/** RFC 3339 time in seconds. */
export const time = scalar<string>('time');
/** RFC 3339 time in microseconds. */
export const microTime = scalar<string>('micro-time');
/** A Go duration, such as `1m30s`. */
export const duration = scalar<string>('duration');
/** A number or its text; canonical text once decoded. */
export const quantity = scalar<string>('quantity');
/** A 32-bit integer or a text. */
export const intOrString = scalar<number | string>('int-or-string');

/** Declares an enumeration of texts. */
export const oneOf = <const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> => ({
  kind: 'scalar',
  format: 'string',
  enum: values,
});

/**
 * An enumeration that upstream documents as a plain string: some fields accept other values, and API
 * documents list none.
 */
export const wordOf = <const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> => ({
  ...oneOf(...values),
  open: true,
});

/** Declares a list. */
export const listOf = <S extends Schema>(items: S): ArraySchema<SchemaType<S>> => ({ kind: 'array', items });

/** Declares a map with string keys. */
export const mapOf = <S extends Schema>(values: S): MapSchema<SchemaType<S>> => ({ kind: 'map', values });

/** Any object, kept as it came. */
export const anything: AnySchema<unknown> = { kind: 'any' };
/** Any JSON value. */
export const anyJson: AnySchema<unknown> = { kind: 'any', json: true };
/** A whole API object, kept as it came. */
export const embeddedObject: AnySchema<Record<string, unknown>> = { kind: 'any', embedded: true };

/**
 * Refers to a named type by its interface: `ref<PodSpec>(PodSpec)`, or `ref<Tree>(() => Tree)` in a cycle.
 */
export const ref = <T>(
  target: { readonly kind: 'struct' } | (() => { readonly kind: 'struct' }),
): RefSchema<T> => ({
  kind: 'ref',
  target: target as StructSchema | (() => StructSchema),
});

/** Declares a struct or, in its place, a boolean or a list. */
export const either = <T>(
  name: string,
  struct: RefSchema,
  other: ScalarSchema | ArraySchema,
): EitherSchema<T> => ({ kind: 'either', name, struct, other });

/** Declares a struct; `name` is its name in OpenAPI without the vocabulary's prefix. */
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

/** Declares a field that is always written, see `Presence`. */
export const required = field('required');
/** Declares a pointer field with `omitempty`, see `Presence`. */
export const optional = field('optional');
/** Declares a field with `omitempty` that is no pointer, see `Presence`. */
export const value = field('value');

/** A named list type, such as `ExtraValue`. */
export const wrappedList = <S extends Schema>(items: S): ArraySchema<SchemaType<S>> => ({
  kind: 'array',
  items,
  wrapped: true,
});

/**
 * Returns the fields of an embedded struct for spreading; `number` is its protobuf number in the outer
 * struct.
 */
export function inline<F extends Fields>(number: number, source: StructSchema<F>): F {
  const fields = Object.entries(source.fields).map(([name, each]) => [
    name,
    { ...each, options: { ...each.options, within: number } },
  ]);
  return Object.fromEntries(fields) as F;
}

/** Returns the struct behind a reference; other schemas as they are. */
export function resolve(schema: Schema): Exclude<Schema, RefSchema> {
  if (schema.kind !== 'ref') return schema;
  return typeof schema.target === 'function' ? schema.target() : schema.target;
}

import type { Int64 } from './exact-json.ts';
import type { StructuralNode } from './structural-node.ts';
import type { Product } from '../vocabulary/vocabulary.ts';

// The schema language. A type is a value: a JSON Schema with additional information that the API needs
// (protobuf numbers, list types, patch keys, treatment of absent and zero values). Static types are inferred
// from this value. Each struct declares an interface of the same name, `export interface PodSpec extends
// Infer<typeof PodSpec> {}`, so that editors and emitted declarations name nested types instead of expanding
// them.
declare const type: unique symbol;

interface Typed<T> {
  /** Static type; never present at run time. */
  readonly [type]?: T;
}

/**
 * JSON form of a scalar: bytes are base64, time is RFC 3339 in seconds, micro-time is RFC 3339 in
 * microseconds.
 */
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

/** Schema of a scalar. */
export interface ScalarSchema<T = unknown> extends Typed<T> {
  readonly kind: 'scalar';
  readonly format: ScalarFormat;
  /**
   * Allowed values, which also narrow the static type to a union. Validation checks the value; decoding does
   * not.
   */
  readonly enum?: readonly string[];
  /** True if API documents omit the allowed values. */
  readonly open?: boolean;
}

/** Schema of a list. */
export interface ArraySchema<T = unknown> extends Typed<T[]> {
  readonly kind: 'array';
  readonly items: Schema;
  /** True for a named list type, which protobuf wraps in a message whose field 1 holds the items. */
  readonly wrapped?: boolean;
}

/** Schema of a map with string keys. */
export interface MapSchema<T = unknown> extends Typed<Record<string, T>> {
  readonly kind: 'map';
  readonly values: Schema;
}

/** Schema of an untyped value, which is stored as it was received, such as a raw extension or `fieldsV1`. */
export interface AnySchema<T = unknown> extends Typed<T> {
  readonly kind: 'any';
  /** True if the value is a whole API object with kind, apiVersion and metadata. */
  readonly embedded?: boolean;
  /**
   * True if any JSON value is allowed, including scalars and lists. Server-side apply treats it as one value.
   */
  readonly json?: boolean;
  /** Name of the type in OpenAPI; the default is the name of raw extensions. */
  readonly name?: string;
}

/**
 * Schema of a struct in whose place JSON also allows a value of another type, such as
 * `JSONSchemaPropsOrBool`.
 */
export interface EitherSchema<T = unknown> extends Typed<T> {
  readonly kind: 'either';
  /** Name of the type in OpenAPI. */
  readonly name: string;
  readonly struct: RefSchema;
  /**
   * The alternative to the struct: a boolean or a list. In protobuf, the struct is field 1 and a list is
   * field 2. With a boolean, the boolean is field 1 and the struct field 2.
   */
  readonly other: ScalarSchema | ArraySchema;
}

/** Schema of a struct: a named type with declared fields. */
export interface StructSchema<F extends Fields = Fields> {
  readonly kind: 'struct';
  /** Name in OpenAPI without the vocabulary's prefix, such as `api.core.v1.PodSpec`. */
  readonly name: string;
  readonly fields: F;
  /** `atomic` if server-side apply replaces the struct as a whole and the struct has one owner. */
  readonly mapType?: 'atomic' | 'granular';
  /** Field whose value names the member of a union that is set: the value `Foo` selects the field `foo`. */
  readonly discriminator?: string;
  /** Sets computed defaults of a decoded value, in place. Runs after the defaults of the fields. */
  readonly defaults?: (value: never) => void;
  /**
   * Schema of a custom resource. It applies to everything except `fields` (kind, apiVersion and metadata).
   * Unknown fields are pruned and `null` is retained where the schema says so; other values are retained with
   * sorted keys.
   */
  readonly root?: StructuralNode;
}

/** Schema of any type. */
export type Schema<T = unknown> =
  ScalarSchema<T> | ArraySchema | MapSchema | AnySchema<T> | EitherSchema<T> | StructSchema | RefSchema<T>;

/** Schema that refers to a named type. The target is a function if types refer to each other in a cycle. */
export interface RefSchema<T = unknown> extends Typed<T> {
  readonly kind: 'ref';
  readonly target: StructSchema | (() => StructSchema);
}

/**
 * Treatment of a field without a value when an object is written, as by upstream's encoder:
 * - `required`: always written. Without a value, the zero value is written: `""`, `0`, `false` or `{}`. Lists and
 *   maps without items are written as `null`, because the stored protobuf cannot distinguish the two.
 * - `optional`: a pointer with `omitempty`. An absent field stays absent, and any given value is written.
 * - `value`: `omitempty` without a pointer. Zero values (`""`, `0`, `false`, empty list or map) are dropped, but
 *   a struct is written as `{}`.
 */
export type Presence = 'required' | 'optional' | 'value';

/** Options of a field. */
export interface FieldOptions {
  /** Value that every decode sets if the field is absent. */
  readonly default?: unknown;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** True if OpenAPI does not list the field as `required` although the field is always written. */
  readonly lenient?: boolean;
  /** True if the zero value of a `required` struct is `null`, because Go holds the struct by pointer. */
  readonly nullable?: boolean;
  /** True if an empty `required` list stays an empty list, because the objects are stored as JSON. */
  readonly keepsEmpty?: boolean;
  /** Protobuf number of the message that contains this field, if JSON inlines that message's fields. */
  readonly within?: number;
  /** Vocabulary under which the field is documented. Decoding accepts the field under any vocabulary. */
  readonly product?: Product;
}

/** Declaration of a struct's field. */
export interface Field<T = unknown, P extends Presence = Presence> extends Typed<T> {
  /** Protobuf number of the field. */
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

/** Static type of a struct. Each struct declares an interface of the same name that extends this type. */
export type Infer<S> =
  S extends StructSchema<infer F>
    ? { -readonly [K in RequiredKeys<F>]: TypeOf<F[K]> } & {
        -readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: TypeOf<F[K]>;
      }
    : never;

type SchemaType<S> = S extends StructSchema<infer F> ? Infer<StructSchema<F>> : TypeOf<S>;

const scalar = <T>(format: ScalarFormat): ScalarSchema<T> => ({ kind: 'scalar', format });

/** Schema of a string. */
export const string = scalar<string>('string');
/** Schema of a boolean. */
export const boolean = scalar<boolean>('boolean');
/** Schema of a 32-bit integer. */
export const int32 = scalar<number>('int32');
/** Schema of a 64-bit integer; the value is a bigint if its magnitude is 2^53 or more. */
export const int64 = scalar<Int64>('int64');
/**
 * Schema of a float64. A whole number whose magnitude is 2^53 or more is a bigint in memory and is written as
 * an integer.
 */
export const double = scalar<number | bigint>('double');
/** Schema of bytes as a base64 string. */
export const bytes = scalar<string>('bytes');
/** Schema of an RFC 3339 time in seconds. */
export const time = scalar<string>('time');
/** Schema of an RFC 3339 time in microseconds. */
export const microTime = scalar<string>('micro-time');
/** Schema of a Go duration, such as `1m30s`. */
export const duration = scalar<string>('duration');
/**
 * Schema of a number or a string in the syntax of Kubernetes quantities; decoding converts it to a canonical
 * string.
 */
export const quantity = scalar<string>('quantity');
/** Schema of a 32-bit integer or a string. */
export const intOrString = scalar<number | string>('int-or-string');

/** Declares an enumeration of strings. */
export const oneOf = <const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> => ({
  kind: 'scalar',
  format: 'string',
  enum: values,
});

/**
 * Declares an enumeration that upstream documents as a plain string: some fields accept other values, and API
 * documents list no values.
 */
export const wordOf = <const V extends readonly string[]>(...values: V): ScalarSchema<V[number]> => ({
  ...oneOf(...values),
  open: true,
});

/** Returns the schema of a list. */
export const listOf = <S extends Schema>(items: S): ArraySchema<SchemaType<S>> => ({ kind: 'array', items });

/** Returns the schema of a map with string keys. */
export const mapOf = <S extends Schema>(values: S): MapSchema<SchemaType<S>> => ({ kind: 'map', values });

/** Schema of an untyped object, which is stored as it was received. */
export const anything: AnySchema<unknown> = { kind: 'any' };
/** Schema of any JSON value. */
export const anyJson: AnySchema<unknown> = { kind: 'any', json: true };
/** Schema of a whole API object, which is stored as it was received. */
export const embeddedObject: AnySchema<Record<string, unknown>> = { kind: 'any', embedded: true };

/**
 * Returns a reference to a named type for its interface: `ref<PodSpec>(PodSpec)`, or `ref<Tree>(() => Tree)`
 * in a cycle.
 */
export const ref = <T>(
  target: { readonly kind: 'struct' } | (() => { readonly kind: 'struct' }),
): RefSchema<T> => ({
  kind: 'ref',
  target: target as StructSchema | (() => StructSchema),
});

/** Declares a struct in whose place a boolean or a list is allowed. */
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

/** Declares a `required` field, see `Presence`. */
export const required = field('required');
/** Declares an `optional` field, see `Presence`. */
export const optional = field('optional');
/** Declares a `value` field, see `Presence`. */
export const value = field('value');

/** Declares a named list type, such as `ExtraValue`. */
export const wrappedList = <S extends Schema>(items: S): ArraySchema<SchemaType<S>> => ({
  kind: 'array',
  items,
  wrapped: true,
});

/**
 * Returns the fields of an embedded struct, to be spread into the outer struct. `number` is the protobuf
 * number of the embedded struct in the outer struct.
 */
export function inline<F extends Fields>(number: number, source: StructSchema<F>): F {
  const fields = Object.entries(source.fields).map(([name, each]) => [
    name,
    { ...each, options: { ...each.options, within: number } },
  ]);
  return Object.fromEntries(fields) as F;
}

/** Returns the struct behind a reference, and any other schema unchanged. */
export function resolve(schema: Schema): Exclude<Schema, RefSchema> {
  if (schema.kind !== 'ref') return schema;
  return typeof schema.target === 'function' ? schema.target() : schema.target;
}

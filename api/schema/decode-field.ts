import type { Codec, Later } from './codec.ts';
import { type DecodeContext, paidPathTo } from './decode-context.ts';
import { WRITTEN_WHEN_ZERO } from './decode-scalar.ts';
import { isObject } from './own.ts';
import { type Field, type Schema, resolve } from './schema.ts';

export interface FieldCodec {
  readonly name: string;
  /** Position in the order in which fields are written. */
  readonly place: number;
  /** True if every JavaScript object inherits a member of this name, such as `constructor`. */
  readonly inherited: boolean;
  readonly codec: () => Codec;
  /** True if a value is a zero value that is omitted from the written object. */
  readonly drops: (value: unknown) => boolean;
  /** Returns the value written for an absent field; undefined if the field stays absent. */
  readonly absent: () => unknown;
}

/**
 * Returns the value to write for a field: the decoded value or, if the field is absent, its zero value if it
 * has to be written.
 */
export function fieldValue(field: FieldCodec, given: unknown, context: DecodeContext): unknown {
  if (given === undefined || given === null) return field.absent();
  const value = field.codec().decode(given, context, field.name);
  if (value === null) return field.absent();
  if (!field.drops(value)) return value;
  if (typeof value === 'object' && context.emptied) context.emptied(paidPathTo(context, field.name));
  return field.absent();
}

const NOTHING = (): undefined => undefined;
const NULL = (): null => null;

/** Returns the codec of a field; `place` is the field's position in the order in which fields are written. */
export function fieldCodec(
  name: string,
  place: number,
  { schema, presence, options }: Field,
  later: Later,
): FieldCodec {
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
  // Go writes a struct held by value even with `omitempty`.
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

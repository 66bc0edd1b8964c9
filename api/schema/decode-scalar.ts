import { spend } from '../../base/budget/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { QuantityError, canonicalQuantity, parseQuantity } from '../quantity/quantity.ts';
import { writeJson } from './exact-json.ts';
import { type DecodeContext, paidPathTo, refuseFormat, refuseType } from './decode-context.ts';
import type { ScalarFormat, ScalarSchema } from './schema.ts';
import { FormatError, canonicalDuration, canonicalMicroTime, canonicalTime } from './times.ts';

/** Decodes a value other than null; `segment` is the value's key or index in its container. */
export type Decoder = (
  value: unknown,
  context: DecodeContext,
  segment: string | number | undefined,
) => unknown;

/** Zero value of each scalar format, which Go writes for a missing value. */
export const ZERO_SCALARS: { readonly [F in ScalarFormat]: string | number | boolean | null } = {
  string: '',
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  time: null,
  'micro-time': null,
  duration: '0s',
  quantity: '0',
  'int-or-string': 0,
};

/** Formats whose zero value Go writes even with `omitempty`, because the Go types are structs. */
export const WRITTEN_WHEN_ZERO: ReadonlySet<ScalarFormat> = new Set([
  'time',
  'micro-time',
  'duration',
  'quantity',
  'int-or-string',
]);

/** Returns the decoder of a scalar format. */
export function scalarDecoder(schema: ScalarSchema): Decoder {
  switch (schema.format) {
    case 'string':
      return ofType('string', schema);
    case 'boolean':
      return ofType('boolean', schema);
    case 'double':
      return double(schema);
    case 'int32':
      return integer(schema, -(2 ** 31), 2 ** 31 - 1);
    case 'int64':
      return long(schema);
    case 'bytes':
      return bytes(schema);
    case 'time':
      return text(schema, canonicalTime);
    case 'micro-time':
      return text(schema, canonicalMicroTime);
    case 'duration':
      return text(schema, canonicalDuration);
    case 'quantity':
      return decodeQuantity(schema);
    case 'int-or-string':
      return intOrString(schema);
  }
}

const ofType =
  (type: 'string' | 'boolean', schema: ScalarSchema): Decoder =>
  (value, context, segment) =>
    typeof value === type ? value : refuseType(context, segment, value, schema);

/** Returns the decoder of a float64. The JSON reader returns infinity for a number that does not fit. */
const double =
  (schema: ScalarSchema): Decoder =>
  (value, context, segment) =>
    typeof value === 'bigint'
      ? Number(value)
      : Number.isFinite(value)
        ? value
        : refuseType(context, segment, value, schema);

/** Returns the source text of a number that is no 64-bit integer; undefined for a 64-bit integer. */
const writtenAt = (context: DecodeContext, segment: string | number | undefined): string | undefined =>
  context.floats?.get(paidPathTo(context, segment));

const integer =
  (schema: ScalarSchema, least: number, most: number): Decoder =>
  (value, context, segment) => {
    if (typeof value === 'bigint') return refuseType(context, segment, value, schema, ` ${value}`);
    if (typeof value !== 'number') return refuseType(context, segment, value, schema);
    const written = writtenAt(context, segment);
    if (Number.isInteger(value) && value >= least && value <= most && written === undefined) return value;
    return refuseType(context, segment, value, schema, ` ${written ?? value}`);
  };

/** Returns the decoder of an int64. Beyond 2^53, only a bigint is an integer that was written exactly. */
function long(schema: ScalarSchema): Decoder {
  const short = integer(schema, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return (value, context, segment) => (typeof value === 'bigint' ? value : short(value, context, segment));
}

/** Work units for converting a string to its canonical form, and for each character of the string. */
const FORMAT = 0.3;
const FORMAT_CHARACTER = 0.006;

const text =
  (schema: ScalarSchema, canonical: (text: string) => string | null): Decoder =>
  (value, context, segment) =>
    typeof value === 'string'
      ? formatted(schema, canonical, value, context, segment)
      : refuseType(context, segment, value, schema);

function formatted(
  schema: ScalarSchema,
  canonical: (text: string) => string | null,
  value: string,
  context: DecodeContext,
  segment: string | number | undefined,
): string | null {
  spend(FORMAT + value.length * FORMAT_CHARACTER);
  try {
    return canonical(value);
  } catch (error) {
    if (!(error instanceof FormatError) && !(error instanceof QuantityError)) throw error;
    return refuseFormat(context, segment, value, schema, messageOf(error));
  }
}

/**
 * Returns the decoder of bytes. The input is base64 or, as in Go, a list of numbers with one number per byte.
 */
function bytes(schema: ScalarSchema): Decoder {
  const ofText = text(schema, canonicalBytes);
  return (value, context, segment) =>
    Array.isArray(value) && value.every(isByte)
      ? Buffer.from(value).toString('base64')
      : ofText(value, context, segment);
}

const isByte = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256;

const canonicalText = (value: string): string => canonicalQuantity(parseQuantity(value.trim()));

const decodeQuantity =
  (schema: ScalarSchema): Decoder =>
  (value, context, segment) =>
    formatted(
      schema,
      canonicalText,
      typeof value === 'string' ? value : (writtenAt(context, segment) ?? writeJson(value)),
      context,
      segment,
    );

function intOrString(schema: ScalarSchema): Decoder {
  const asInteger = integer(schema, -(2 ** 31), 2 ** 31 - 1);
  return (value, context, segment) =>
    typeof value === 'string' ? value : asInteger(value, context, segment);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns standard base64 with padding. Like Go's `StdEncoding`, it skips line ends in the input. */
function canonicalBytes(value: string): string {
  const packed = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  if (!BASE64.test(packed)) throw new FormatError(`illegal base64 data at input byte ${faultIn(packed)}`);
  return packed.endsWith('=') ? Buffer.from(packed, 'base64').toString('base64') : packed;
}

function faultIn(packed: string): number {
  const fault = packed.search(/[^A-Za-z0-9+/]/);
  return fault < 0 ? packed.length - (packed.length % 4) : fault;
}

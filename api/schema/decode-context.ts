import { spend } from '../../base/budget/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Floats, formatPath } from './json.ts';
import { type Schema, resolve } from './schema.ts';

/**
 * Error for a value of the wrong type or form. The message is that of Go's decoder, which names the field for
 * a wrong type.
 */
export class DecodeError extends CodedError<'type' | 'format'> {
  /** Path of the value, such as `spec.containers[0].name`; `''` for the object itself. */
  readonly path: string;
  /** Kind of the value. The value itself is omitted, because it may be a secret and must not reach a log. */
  readonly found: ValueKind;
  /** Schema that the value does not match. */
  readonly schema: Schema;

  constructor(
    code: 'type' | 'format',
    message: string,
    refused: Pick<DecodeError, 'path' | 'found' | 'schema'>,
  ) {
    super(code, message);
    this.path = refused.path;
    this.found = refused.found;
    this.schema = refused.schema;
  }
}

/** State of one decoding: the current position and the unknown fields found so far. */
export interface DecodeContext {
  /** Path segments of the containers that are being decoded. */
  readonly path: (string | number)[];
  /** Number of leading path segments that Go's messages omit, because Go decodes the value separately. */
  outside: number;
  /** Names of the structs among the containers, the outermost struct first. */
  readonly structs: string[];
  /** Indexes in `path` of map keys, which Go's messages omit. */
  readonly mapKeys: number[];
  readonly unknown: string[];
  /**
   * True if a `null` in a custom resource is retained where the schema forbids it, so that validation can
   * reject it.
   */
  readonly keepsNulls: boolean;
  /**
   * True if the input must stay unchanged. Frozen parts of the input are canonical and become parts of the
   * result.
   */
  readonly shares: boolean;
  /** Source text of each number that was not written as an integer, by path. */
  readonly floats?: Floats | undefined;
  /** Called with the path of each list and map that is present but is dropped because it is empty. */
  readonly emptied?: ((path: string) => void) | undefined;
}

/**
 * Creates a context. All members are listed, instead of spreading an object, so that all contexts have one
 * shape.
 */
export const contextOf = (
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

/**
 * Maximum number of reported unknown fields, as in upstream. Without a maximum, a request body full of
 * unknown fields would use unbounded memory.
 */
export const MAX_UNKNOWN = 100;

/** Returns the path of a member of the container that is being decoded. */
export const pathTo = (context: DecodeContext, segment: string | number | undefined): string =>
  formatPath(segment === undefined ? context.path : [...context.path, segment]);

/**
 * Returns the path of a member and charges it to the work budget. A request body may need any number of
 * paths, each as long as the keys above the member.
 */
export function paidPathTo(context: DecodeContext, segment: string | number | undefined): string {
  const path = pathTo(context, segment);
  spend(PATH + path.length * PATH_CHARACTER);
  return path;
}

/** Work units for one path and for one character of a path. */
const PATH = 1;
const PATH_CHARACTER = 0.01;

/** Go's word for a JSON value of each reflection kind, as in the error messages of its decoder. */
export const JSON_WORDS = {
  slice: 'array',
  map: 'object',
  string: 'string',
  bool: 'bool',
  int64: 'number',
  float64: 'number',
} as const;

/** Go reflection kind of a JSON value. */
export type ValueKind = keyof typeof JSON_WORDS;

/** Returns the Go reflection kind of a JSON value. */
export function valueKind(value: unknown): ValueKind {
  if (Array.isArray(value)) return 'slice';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map';
  }
}

const GO_SCALARS: { readonly [format: string]: string } = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  time: 'string',
  'micro-time': 'string',
  duration: 'string',
  quantity: 'string',
  'int-or-string': 'int32',
};

/**
 * Returns the Go type of a schema as Go's decoder prints it: `v1.PodSpec`, `[]v1.Container`,
 * `map[string]string`.
 */
export function goType(schema: Schema): string {
  const target = resolve(schema);
  switch (target.kind) {
    case 'scalar':
      return GO_SCALARS[target.format] ?? 'string';
    case 'array':
      return `[]${goType(target.items)}`;
    case 'map':
      return `map[string]${goType(target.values)}`;
    case 'struct':
      return target.name.split('.').slice(-2).join('.');
    case 'any':
      return target.json === true ? 'v1.JSON' : 'runtime.RawExtension';
    case 'either':
      return target.name.split('.').slice(-2).join('.');
  }
}

/**
 * Throws the error for a value of the wrong JSON type. `shown` is appended to the value's type in the
 * message; it holds a number that is too large or has a fraction.
 */
export function refuseType(
  context: DecodeContext,
  segment: string | number | undefined,
  value: unknown,
  schema: Schema,
  shown = '',
): never {
  const path = pathTo(context, segment);
  const fields = [...context.path, ...(segment === undefined ? [] : [segment])].filter(
    (each, at) => at >= context.outside && typeof each === 'string' && !context.mapKeys.includes(at),
  );
  const where =
    fields.length === 0
      ? `Go value of type ${goType(schema)}`
      : `Go struct field ${context.structs.at(-1) ?? ''}.${fields.join('.')} of type ${goType(schema)}`;
  throw new DecodeError(
    'type',
    `json: cannot unmarshal ${JSON_WORDS[valueKind(value)]}${shown} into ${where}`,
    {
      path,
      found: valueKind(value),
      schema,
    },
  );
}

/** Throws the error for a value of the right type but the wrong form. */
export function refuseFormat(
  context: DecodeContext,
  segment: string | number | undefined,
  value: unknown,
  schema: Schema,
  message: string,
): never {
  throw new DecodeError('format', message, {
    path: pathTo(context, segment),
    found: valueKind(value),
    schema,
  });
}

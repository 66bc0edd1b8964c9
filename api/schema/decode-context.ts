import { spend } from '../../base/budget/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import { type Floats, formatPath } from './json.ts';
import { type Schema, resolve } from './schema.ts';

/** A value of the wrong type or form. The message is that of Go's decoder, which names the field for a wrong type. */
export class DecodeError extends CodedError<'type' | 'format'> {
  /** Where the value stands, such as `spec.containers[0].name`; '' for the object itself. */
  readonly path: string;
  /** Kind of the value: not the value itself, which may be a secret and must not come into a log. */
  readonly found: ValueKind;
  /** What the value should have been. */
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

/** What one decoding carries along: where it is, and what it found that no schema knows. */
export interface DecodeContext {
  /** Segments of the containers that are being decoded. */
  readonly path: (string | number)[];
  /** How many of them are outside of what Go decodes by itself, so that its messages leave them out. */
  outside: number;
  /** Names of the structs among them, the outermost first. */
  readonly structs: string[];
  /** Where in the path keys of maps stand, which Go's messages leave out. */
  readonly mapKeys: number[];
  readonly unknown: string[];
  /** Whether a custom resource's `null` stays where its schema does not allow it, for validation to refuse. */
  readonly keepsNulls: boolean;
  /** Whether what is given is left as it is, and frozen parts of it, known to be canonical, become parts of the result. */
  readonly shares: boolean;
  /** Numbers that were not written as integers, by their paths. */
  readonly floats?: Floats | undefined;
  /** Told the paths of lists and maps that are given, and left out because they are empty. */
  readonly emptied?: ((path: string) => void) | undefined;
}

export const pathTo = (context: DecodeContext, segment: string | number | undefined): string =>
  formatPath(segment === undefined ? context.path : [...context.path, segment]);

/** The same for what is built for any number of places: it costs time and memory by the length of the keys above. */
export function paidPathTo(context: DecodeContext, segment: string | number | undefined): string {
  const path = pathTo(context, segment);
  spend(PATH + path.length * PATH_CHARACTER);
  return path;
}

/** Units of work for a path. */
const PATH = 1;
const PATH_CHARACTER = 0.01;

/** What a JSON value is to Go's reflection, in the words of Go's decoder. */
export const JSON_WORDS = {
  slice: 'array',
  map: 'object',
  string: 'string',
  bool: 'bool',
  int64: 'number',
  float64: 'number',
} as const;

export type ValueKind = keyof typeof JSON_WORDS;

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

/** The Go type of a schema as its decoder prints it: `v1.PodSpec`, `[]v1.Container`, `map[string]string`. */
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

/** Refuses a value of another JSON type than its schema's. `shown` adds the number where its size is the fault. */
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

/** Refuses a value of the right type and the wrong form. */
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

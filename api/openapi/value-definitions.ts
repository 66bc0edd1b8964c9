import type { ScalarFormat } from '../schema/schema.ts';
import type { Dialect, OpenApiSchema } from './dialect.ts';

// The definitions in this file describe values other than structs. Names are without the vocabulary's prefix.
/** Name of the definition of a patch's body. */
export const PATCH = 'apimachinery.pkg.apis.meta.v1.Patch';
/** Name of the definition of an untyped object. */
export const RAW_EXTENSION = 'apimachinery.pkg.runtime.RawExtension';
const TIME = 'apimachinery.pkg.apis.meta.v1.Time';
const MICRO_TIME = 'apimachinery.pkg.apis.meta.v1.MicroTime';
const DURATION = 'apimachinery.pkg.apis.meta.v1.Duration';
const FIELDS_V1 = 'apimachinery.pkg.apis.meta.v1.FieldsV1';
const QUANTITY = 'apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'apimachinery.pkg.util.intstr.IntOrString';
const EXTENSIONS = 'apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** Names of the definitions of scalars, by format. Scalars of other formats have no definition. */
export const NAMED_SCALARS: Partial<Record<ScalarFormat, string>> = {
  time: TIME,
  'micro-time': MICRO_TIME,
  duration: DURATION,
  quantity: QUANTITY,
  'int-or-string': INT_OR_STRING,
};

const INSTANT = { description: 'A point in time (RFC 3339), in UTC.', type: 'string', format: 'date-time' };

const DEFINITIONS: Readonly<Record<string, OpenApiSchema>> = {
  [TIME]: INSTANT,
  [MICRO_TIME]: INSTANT,
  [DURATION]: { description: 'A length of time, such as `1h30m`.', type: 'string' },
  [FIELDS_V1]: {
    description: 'A set of field paths as a tree, with keys that begin with `f:`, `k:`, `v:` and `i:`.',
    type: 'object',
  },
  [PATCH]: { description: 'A change of an object, in one of the media types for patches.', type: 'object' },
  [RAW_EXTENSION]: { description: 'An object of any kind.', type: 'object' },
  // No `type`, because a JSON schema that allows any value has none.
  [`${EXTENSIONS}.JSON`]: { description: 'Any JSON value.' },
  [`${EXTENSIONS}.JSONSchemaPropsOrArray`]: { description: 'A schema, or a list of them.' },
  [`${EXTENSIONS}.JSONSchemaPropsOrBool`]: {
    description: 'A schema, or a boolean: true allows every value, false none.',
  },
  [`${EXTENSIONS}.JSONSchemaPropsOrStringArray`]: { description: 'A schema, or a list of names of fields.' },
};

/** Values that JSON writes in one of two types. */
const CHOICES: Readonly<Record<string, OpenApiSchema & { readonly types: readonly string[] }>> = {
  [QUANTITY]: {
    description: 'A fixed-point number with a unit suffix, such as `500m` or `1Gi`.',
    types: ['string', 'number'],
  },
  [INT_OR_STRING]: {
    description: 'A number or a string.',
    format: 'int-or-string',
    types: ['integer', 'string'],
  },
};

/** Returns a new definition; undefined for an unknown name. */
export function valueDefinition(name: string, { choices }: Dialect): OpenApiSchema | undefined {
  const choice = CHOICES[name];
  if (choice === undefined) return DEFINITIONS[name] && { ...DEFINITIONS[name] };
  const { types, ...rest } = choice;
  return choices ? { ...rest, oneOf: types.map((type) => ({ type })) } : { ...rest, type: 'string' };
}

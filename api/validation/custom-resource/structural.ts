import { part, spend } from '../../../base/budget/index.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  mapKey,
  requiredField,
} from '../../status/field-errors.ts';
import { PatternError, compilePattern } from '../../structural/pattern.ts';
import { type JSONSchemaProps, extensionOf } from '../../types/apiextensions-v1-schema.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { writeJson } from '../../schema/exact-json.ts';
import { itemsOf } from './schema.ts';

type Level = 'root' | 'items' | 'field';

/** Work units for a nested schema, not including the paths to its parts. */
const SCHEMA_WORK = 0.5;

/**
 * Validates that a schema is structural: each field is specified outside of `allOf` and similar keywords
 * (`ValidateStructural` in Kubernetes 1.24).
 */
export function validateStructural(
  schema: JSONSchemaProps,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const errors = [
    ...validateInvariants(schema, 'root', path, vocabulary),
    ...validateComplete(schema, schema, path, path),
  ];
  const textOf = ({ field, message }: FieldError): string => `${field}: ${message}`;
  return errors.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0));
}

const propertiesOf = ({ properties }: JSONSchemaProps): readonly (readonly [string, JSONSchemaProps])[] =>
  properties === undefined ? [] : Object.entries(properties);

const propertyOf = ({ properties = {} }: JSONSchemaProps, name: string): JSONSchemaProps | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

function validateInvariants(
  schema: JSONSchemaProps,
  level: Level,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const { additionalProperties: others, type = '' } = schema;
  const items = itemsOf(schema);
  spend(SCHEMA_WORK);
  return [
    ...(type === 'array' && items === undefined
      ? [requiredField(child(path, 'items'), 'must be specified')]
      : []),
    ...(items ? part(() => validateInvariants(items, 'items', child(path, 'items'), vocabulary)) : []),
    ...propertiesOf(schema).flatMap(([name, each]) =>
      part(() => validateInvariants(each, 'field', mapKey(child(path, 'properties'), name), vocabulary)),
    ),
    ...(others !== undefined && level === 'root'
      ? [forbiddenField(child(path, 'additionalProperties'), 'must not be used at the root')]
      : []),
    ...(typeof others === 'object'
      ? part(() => validateInvariants(others, 'field', child(path, 'additionalProperties'), vocabulary))
      : []),
    ...validateIntOrString(schema, path, vocabulary),
    ...validateJunctors(schema, path, vocabulary, {
      anyOf: isTypeChoice(schema.anyOf),
      firstAllOf: isTypeChoice(schema.allOf?.[0]?.anyOf),
    }),
    ...validateType(schema, level, path, vocabulary),
    ...validateMeta(schema, level, path, vocabulary),
  ];
}

/** True if the alternatives are exactly integer and string, the only alternatives that may declare types. */
const isTypeChoice = (schemas: readonly JSONSchemaProps[] | undefined): boolean =>
  writeJson(schemas) === '[{"type":"integer"},{"type":"string"}]';

function validateIntOrString(schema: JSONSchemaProps, path: string, vocabulary: Vocabulary): FieldErrors {
  if (!extensionOf(schema, 'int-or-string')) return [];
  const detail = `must be false if ${vocabulary.extension('int-or-string')} is true`;
  return (['preserve-unknown-fields', 'embedded-resource'] as const)
    .filter((name) => extensionOf(schema, name) === true)
    .map((name) => invalidField(child(path, vocabulary.extension(name)), true, detail));
}

const EMPTY_TYPES: { readonly [level in Level]: string } = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateType(
  schema: JSONSchemaProps,
  level: Level,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const { type = '' } = schema;
  const at = child(path, 'type');
  const embedded = vocabulary.extension('embedded-resource');
  const errors: FieldError[] = [];
  if (extensionOf(schema, 'embedded-resource') && type !== 'object') {
    const detail = `must be object if ${embedded} is true`;
    errors.push(type === '' ? requiredField(at, detail) : invalidField(at, type, detail));
  } else if (
    type === '' &&
    !extensionOf(schema, 'int-or-string') &&
    !extensionOf(schema, 'preserve-unknown-fields')
  )
    errors.push(requiredField(at, EMPTY_TYPES[level]));
  if (extensionOf(schema, 'embedded-resource') && schema.additionalProperties !== undefined)
    errors.push(
      forbiddenField(child(path, 'additionalProperties'), `must not be used if ${embedded} is set`),
    );
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalidField(at, type, 'must be object at the root'));
  return errors;
}

function validateMeta(
  schema: JSONSchemaProps,
  level: Level,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const embedded = extensionOf(schema, 'embedded-resource') === true;
  const isObject = level === 'root' || embedded;
  if (!isObject) return [];
  const at = (name: string): string => mapKey(child(path, 'properties'), name);
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const property = propertyOf(schema, name);
    if (property && property.type !== 'string')
      errors.push(invalidField(child(at(name), 'type'), property.type ?? '', 'must be string'));
  }
  const metadata = propertyOf(schema, 'metadata');
  if (metadata && metadata.type !== 'object')
    errors.push(invalidField(child(at('metadata'), 'type'), metadata.type ?? '', 'must be object'));
  if (metadata && level === 'root' && !namesOnly(metadata))
    errors.push(
      forbiddenField(
        at('metadata'),
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  if (
    embedded &&
    extensionOf(schema, 'preserve-unknown-fields') !== true &&
    propertiesOf(schema).length === 0
  )
    errors.push(
      requiredField(
        child(path, 'properties'),
        `must not be empty if ${vocabulary.extension('embedded-resource')} is true without ${vocabulary.extension('preserve-unknown-fields')}`,
      ),
    );
  return errors;
}

const NAMES = new Set(['name', 'generateName']);

/** True if a schema of metadata restricts nothing besides its type, the name and the generated name. */
function namesOnly(metadata: JSONSchemaProps): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  return (
    Object.keys(properties).every((name) => NAMES.has(name)) &&
    Object.keys(rest).every((key) => key === 'externalDocs' || key === 'example')
  );
}

interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const NOTHING_SKIPPED: Skipped = { anyOf: false, firstAllOf: false };

function validateJunctors(
  schema: JSONSchemaProps,
  path: string,
  vocabulary: Vocabulary,
  skipped: Skipped,
): FieldErrors {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = '' } = schema;
  const each = (name: string, at: number, nested: JSONSchemaProps, skips = NOTHING_SKIPPED): FieldErrors =>
    part(() => validateNested(nested, index(child(path, name), at), vocabulary, skips));
  return [
    ...(skipped.anyOf ? [] : anyOf.flatMap((nested, at) => each('anyOf', at, nested))),
    ...allOf.flatMap((nested, at) =>
      each('allOf', at, nested, { anyOf: skipped.firstAllOf && at === 0, firstAllOf: false }),
    ),
    ...oneOf.flatMap((nested, at) => each('oneOf', at, nested)),
    ...(not ? validateNested(not, child(path, 'not'), vocabulary, NOTHING_SKIPPED) : []),
    ...(pattern === '' ? [] : validatePattern(pattern, child(path, 'pattern'))),
  ];
}

function validatePattern(pattern: string, path: string): FieldErrors {
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    const detail = `must be a valid regular expression, but isn't: ${error.message}`;
    return [invalidField(path, pattern, detail)];
  }
}

function validateNested(
  schema: JSONSchemaProps,
  path: string,
  vocabulary: Vocabulary,
  skipped: Skipped,
): FieldErrors {
  const items = itemsOf(schema);
  const names = propertiesOf(schema);
  const below = (each: JSONSchemaProps, at: () => string): FieldErrors =>
    part(() => validateNested(each, at(), vocabulary, NOTHING_SKIPPED));
  spend(SCHEMA_WORK);
  return [
    ...validateJunctors(schema, path, vocabulary, skipped),
    ...(items ? below(items, () => child(path, 'items')) : []),
    ...names.flatMap(([name, each]) => below(each, () => mapKey(child(path, 'properties'), name))),
    ...forbiddenIn(schema, vocabulary)
      .filter(([, is]) => is)
      .map(([name, , detail]) => forbiddenField(child(path, name), `must be ${detail} to be structural`)),
    ...(names.some(([name]) => name === 'metadata')
      ? [
          forbiddenField(
            mapKey(child(path, 'properties'), 'metadata'),
            'must not be specified in a nested context',
          ),
        ]
      : []),
  ];
}

/**
 * Returns the keywords that alternatives may not use: the name, true if the keyword is present, and the
 * required value.
 */
function forbiddenIn(
  schema: JSONSchemaProps,
  vocabulary: Vocabulary,
): readonly (readonly [string, boolean, string])[] {
  const extension = (
    name: Parameters<typeof extensionOf>[1],
    detail: string,
  ): readonly [string, boolean, string] => {
    const held: unknown = extensionOf(schema, name);
    const is = Array.isArray(held) ? held.length > 0 : held !== undefined && held !== false;
    return [vocabulary.extension(name), is, detail];
  };
  return [
    ['type', Boolean(schema.type), 'empty'],
    ['additionalProperties', schema.additionalProperties !== undefined, 'undefined'],
    ['default', schema.default !== undefined && schema.default !== null, 'undefined'],
    ['title', Boolean(schema.title), 'empty'],
    ['description', Boolean(schema.description), 'empty'],
    ['nullable', schema.nullable === true, 'false'],
    extension('preserve-unknown-fields', 'false'),
    extension('embedded-resource', 'false'),
    extension('int-or-string', 'false'),
    extension('list-map-keys', 'empty'),
    extension('list-type', 'undefined'),
    extension('map-type', 'undefined'),
    extension('validations', 'empty'),
  ];
}

/** Validates that each field in an alternative is also declared outside of the alternative. */
function validateComplete(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps,
  schemaPath: string,
  path: string,
): FieldErrors {
  const { not, allOf = [], anyOf = [], oneOf = [] } = nested;
  const each = (name: string) => (alternative: JSONSchemaProps, at: number) =>
    part(() => validateNestedComplete(alternative, schema, schemaPath, index(child(path, name), at)));
  return [
    ...(not ? validateNestedComplete(not, schema, schemaPath, child(path, 'not')) : []),
    ...allOf.flatMap(each('allOf')),
    ...anyOf.flatMap(each('anyOf')),
    ...oneOf.flatMap(each('oneOf')),
  ];
}

function validateNestedComplete(
  nested: JSONSchemaProps,
  schema: JSONSchemaProps | undefined,
  schemaPath: string,
  path: string,
): FieldErrors {
  if (schema === undefined) return [requiredField(schemaPath, `because it is defined in ${path}`)];
  const items = itemsOf(nested);
  spend(SCHEMA_WORK);
  return [
    ...validateComplete(nested, schema, schemaPath, path),
    ...(items
      ? validateNestedComplete(items, itemsOf(schema), child(schemaPath, 'items'), child(path, 'items'))
      : []),
    ...propertiesOf(nested).flatMap(([name, each]) =>
      part(() =>
        validateNestedComplete(
          each,
          propertyOf(schema, name),
          mapKey(child(schemaPath, 'properties'), name),
          mapKey(child(path, 'properties'), name),
        ),
      ),
    ),
  ];
}

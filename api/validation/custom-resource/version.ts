import { part, spend } from '../../../base/budget/index.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import { goQuote, isGoPrintable } from '../../status/go-quote.ts';
import { structuralOf } from '../../structural/structural.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from '../../types/apiextensions-v1.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1-schema.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { hasKeys, validateOpenApiSchema } from './schema.ts';
import { invalidLiteral } from '../go-text/values.ts';
import { validateDefaults } from './defaults.ts';
import { validateStructural } from './structural.ts';

/** One version of a CustomResourceDefinition. */
export type Version = DeepReadonly<CustomResourceDefinitionVersion>;

const WARNING_LIMIT = 256;
/** Work units for visiting a nested schema. */
const SCHEMA_WORK = 0.3;

/** Validates the deprecation warning. Upstream holds it by pointer, but its errors print the string. */
export function validateDeprecationWarning(
  { deprecated, deprecationWarning: text }: Version,
  path: string,
): FieldErrors {
  if (text === undefined) return [];
  const refuse = (detail: string): FieldError => invalidField(path, text, detail);
  if (!deprecated) return [refuse('can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > WARNING_LIMIT) errors.push(refuse('must be <= 256 characters long'));
  if (text === '') errors.push(refuse('must not be an empty string'));
  const odd = Array.from(text).find((character) => !isGoPrintable(character));
  if (odd !== undefined) {
    const at = Buffer.byteLength(text.slice(0, text.indexOf(odd)));
    const where = `non-printable character found at index ${at}`;
    errors.push(refuse(`must only contain printable UTF-8 characters; ${where}`));
  }
  return errors;
}

/** Validates a schema. Errors about the structure precede errors about unsupported keywords. */
export function validateSchema(
  given: DeepReadonly<JSONSchemaProps> | undefined,
  path: string,
  { subresources }: Version,
  vocabulary: Vocabulary,
): FieldErrors {
  if (given === undefined) return [];
  const schema = given as JSONSchemaProps;
  const at = child(path, 'openAPIV3Schema');
  const convertible = part(() => isConvertible(schema));
  const structural = convertible ? part(() => validateStructural(schema, at, vocabulary)) : [];
  const defaults =
    structural.length === 0 && convertible
      ? part(() => validateDefaults({ ...structuralOf(schema), embedded: true }, at))
      : [];
  const errors = [
    ...(subresources?.status ? validateRoot(schema, path, vocabulary) : []),
    ...(schema.nullable ? [forbiddenField(`${at}.nullable`, 'nullable cannot be true at the root')] : []),
    ...structural,
    ...defaults,
    ...part(() => validateOpenApiSchema(schema, at, vocabulary)),
  ];
  if (errors.length > 0 || convertible) return errors;
  // Only this non-structural field is reported by no other rule.
  return [invalidField(at, '', "OpenAPIV3Schema 'schema' is not supported")];
}

/**
 * True if upstream can convert the schema to a structural schema. Upstream reports the parts of an
 * inconvertible schema that prevent the conversion, and nothing else.
 */
function isConvertible(schema: JSONSchemaProps): boolean {
  const pending: JSONSchemaProps[] = [schema];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    spend(SCHEMA_WORK);
    const { items, additionalProperties: others, not } = each;
    if (each.id || each.$schema || each.$ref || each.additionalItems !== undefined) return false;
    if (Array.isArray(items) && items.length > 0) return false;
    if (hasKeys(each.patternProperties) || hasKeys(each.dependencies) || hasKeys(each.definitions))
      return false;
    for (const part of [items, others, not])
      if (typeof part === 'object' && !Array.isArray(part)) pending.push(part);
    for (const part of Object.values(each.properties ?? {})) pending.push(part);
    for (const parts of [each.allOf, each.anyOf, each.oneOf]) if (parts) pending.push(...parts);
  }
  return true;
}

const ROOT_FIELDS: readonly string[] = (
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern ' +
  'MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields ' +
  'XValidations'
).split(' ');

/**
 * Validates the root of the schema. In a version with a status subresource, the root may use only keywords
 * that allow validating the status separately.
 */
function validateRoot(schema: JSONSchemaProps, path: string, vocabulary: Vocabulary): FieldErrors {
  const type = schema.type ?? '';
  if (type !== 'object' && type !== '')
    return [
      invalidField(
        child(path, 'openAPIV3Schema.type'),
        type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  const allowed = new Set(ROOT_FIELDS.map((name) => name.toLowerCase()));
  const odd = Object.keys(schema).find((name) => !allowed.has(goNameOf(name, vocabulary)));
  if (odd === undefined) return [];
  const detail = `only [${ROOT_FIELDS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [
    invalidLiteral(
      child(path, 'openAPIV3Schema'),
      `apiextensions.JSONSchemaProps{Type:${goQuote(type)}}`,
      detail,
    ),
  ];
}

const goNameOf = (name: string, vocabulary: Vocabulary): string => {
  const prefix = vocabulary.extension('');
  return (name.startsWith(prefix) ? `x${name.slice(prefix.length).replaceAll('-', '')}` : name).toLowerCase();
};

/** Validates the paths of the scale subresource. */
export function validateSubresources(
  subresources: DeepReadonly<CustomResourceSubresources> | undefined,
  path: string,
): FieldErrors {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const below = (text: string, field: string, root: string): FieldErrors => {
    const at = child(path, `scale.${field}`);
    if (text === '') return [requiredField(at)];
    const errors = validateSimplePath(text, at);
    if (errors.length > 0 || text.startsWith(`.${root}.`)) return errors;
    return [invalidField(at, text, `should be a json path under .${root}`)];
  };
  const selector = scale.labelSelectorPath ?? '';
  const at = child(path, 'scale.labelSelectorPath');
  return [
    ...below(scale.specReplicasPath, 'specReplicasPath', 'spec'),
    ...below(scale.statusReplicasPath, 'statusReplicasPath', 'status'),
    ...(selector === '' ? [] : validateSimplePath(selector, at)),
    ...(selector === '' || !selector.startsWith('.') || /^\.(?:spec|status)\./.test(selector)
      ? []
      : [invalidField(at, selector, 'should be a json path under either .spec or .status')]),
  ];
}

const validateSimplePath = (text: string, path: string): FieldErrors =>
  text.startsWith('.') ? [] : [invalidField(path, text, 'must be a simple json path starting with .')];

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates the printer columns of a version. */
export const validateColumns = (
  columns: DeepReadonly<CustomResourceColumnDefinition[]> | undefined,
  path: string,
): FieldErrors => (columns ?? []).flatMap((column, at) => validateColumn(column, index(path, at)));

function validateColumn(column: DeepReadonly<CustomResourceColumnDefinition>, path: string): FieldErrors {
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const errors: FieldError[] = [];
  if (name === '') errors.push(requiredField(child(path, 'name')));
  if (type === '') errors.push(requiredField(child(path, 'type'), types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidField(child(path, 'type'), type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    errors.push(invalidField(child(path, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  if (jsonPath === '') return [...errors, requiredField(child(path, 'JSONPath'))];
  return [...errors, ...validateSimplePath(jsonPath, child(path, 'JSONPath'))];
}

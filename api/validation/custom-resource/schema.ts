import { part, spend } from '../../../base/budget/index.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import { type JSONSchemaProps, extensionOf } from '../../types/apiextensions-v1-schema.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { goStrings, invalidLiteral } from '../go-text/values.ts';
import { repeats } from '../repeats.ts';
import { TYPE_FIELDS } from '../../structural/prune.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

/** Position of a nested schema, as far as rules depend on it. */
interface Place {
  readonly isRoot: boolean;
  /** True within `kind`, `apiVersion` or `metadata` of the root object or of an embedded object. */
  readonly insideMeta: boolean;
  /** Reason why a default is not allowed here; undefined if a default is allowed. */
  readonly noDefaults: string | undefined;
  readonly vocabulary: Vocabulary;
}

/**
 * Checks that a CustomResourceDefinition uses only supported parts of JSON Schema
 * (`ValidateCustomResourceDefinitionOpenAPISchema` in Kubernetes 1.24).
 */
export const validateOpenApiSchema = (
  schema: JSONSchemaProps,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors =>
  validate(schema, path, { isRoot: true, insideMeta: false, noDefaults: undefined, vocabulary });

function validate(schema: JSONSchemaProps, path: string, place: Place): FieldErrors {
  spend(SCHEMA_WORK);
  return [
    ...validateKeywords(schema, path, place),
    ...validateParts(schema, path, place),
    ...validateExtensions(schema, path, place.vocabulary),
  ];
}

/** Work units for a nested schema, not including the paths to its parts. */
const SCHEMA_WORK = 1;

function validateKeywords(schema: JSONSchemaProps, path: string, place: Place): FieldErrors {
  const errors: FieldError[] = [];
  const forbid = (name: string, detail = `${name} is not supported`): void =>
    void errors.push(forbiddenField(child(path, name), detail));
  const { type = '' } = schema;
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupportedField(child(path, 'type'), type, TYPES));
  if (schema.default !== undefined && place.noDefaults !== undefined)
    forbid('default', `must not be set ${place.noDefaults}`);
  if (schema.id) forbid('id');
  if (schema.additionalItems !== undefined) forbid('additionalItems');
  if (hasKeys(schema.patternProperties)) forbid('patternProperties');
  if (hasKeys(schema.definitions)) forbid('definitions');
  if (schema.dependencies !== undefined) forbid('dependencies');
  if (schema.$ref !== undefined) forbid('$ref');
  if (type === 'null') forbid('type', 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0)
    forbid('items', 'items must be a schema object and not an array');
  const { vocabulary } = place;
  if (place.insideMeta && extensionOf(schema, 'embedded-resource'))
    forbid(vocabulary.extension('embedded-resource'), 'must not be used inside of resource meta');
  if (schema.uniqueItems)
    forbid('uniqueItems', 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  const { additionalProperties } = schema;
  if (hasKeys(schema.properties) && additionalProperties !== undefined && additionalProperties !== true)
    forbid('additionalProperties', 'additionalProperties and properties are mutual exclusive');
  return errors;
}

/** True if the map is present and not empty. */
export const hasKeys = (map: object | undefined): boolean => map !== undefined && Object.keys(map).length > 0;

function validateParts(schema: JSONSchemaProps, path: string, place: Place): FieldErrors {
  const below = { ...place, isRoot: false };
  const { additionalProperties, items, not } = schema;
  const one = (each: JSONSchemaProps, at: () => string, there = below): FieldErrors =>
    part(() => validate(each, at(), there));
  const listed = (
    name: 'allOf' | 'oneOf' | 'anyOf' | 'items',
    schemas: JSONSchemaProps[] = [],
  ): FieldErrors => schemas.flatMap((each, at) => one(each, () => index(child(path, name), at)));
  const others = place.insideMeta
    ? { ...below, noDefaults: 'inside additionalProperties applying to object metadata' }
    : below;
  return [
    ...(typeof additionalProperties === 'object'
      ? one(additionalProperties, () => child(path, 'additionalProperties'), others)
      : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      one(each, () => mapKey(child(path, 'properties'), name), placeOf(schema, name, place)),
    ),
    ...(not ? one(not, () => child(path, 'not')) : []),
    ...listed('allOf', schema.allOf),
    ...listed('oneOf', schema.oneOf),
    ...listed('anyOf', schema.anyOf),
    ...(items === undefined
      ? []
      : Array.isArray(items)
        ? listed('items', items)
        : one(items, () => child(path, 'items'))),
  ];
}

function placeOf(schema: JSONSchemaProps, name: string, place: Place): Place {
  const below = place.isRoot ? { ...place, isRoot: false } : place;
  const meta = TYPE_FIELDS.has(name) && (place.isRoot || extensionOf(schema, 'embedded-resource') === true);
  if (!meta) return below;
  return { ...below, insideMeta: true, noDefaults: place.isRoot ? `in top-level ${name}` : below.noDefaults };
}

function validateExtensions(schema: JSONSchemaProps, path: string, vocabulary: Vocabulary): FieldErrors {
  const at = (name: string): string => child(path, vocabulary.extension(name));
  const [listType, mapType] = [extensionOf(schema, 'list-type'), extensionOf(schema, 'map-type')];
  return [
    ...(extensionOf(schema, 'preserve-unknown-fields') === false
      ? [invalidField(at('preserve-unknown-fields'), false, 'must be true or undefined')]
      : []),
    ...(mapType === undefined ? [] : needsType(schema, path, 'object', vocabulary.extension('map-type'))),
    ...(mapType === undefined || MAP_TYPES.includes(mapType)
      ? []
      : [notSupportedField(at('map-type'), mapType, MAP_TYPES)]),
    ...(listType === undefined ? [] : needsType(schema, path, 'array', vocabulary.extension('list-type'))),
    ...(listType === 'set' && schema.type === 'array' ? validateSet(schema, path, vocabulary) : []),
    ...(listType === undefined || LIST_TYPES.includes(listType)
      ? []
      : [notSupportedField(at('list-type'), listType, LIST_TYPES)]),
    ...validateKeys(schema, path, vocabulary),
    ...(listType === 'map' ? validateMapList(schema, path, vocabulary) : []),
    ...(listType === 'set' || listType === 'map' ? validateItems(schema, path, listType, vocabulary) : []),
    ...validateRules(schema, at('validations')),
  ];
}

function needsType(
  { type = '' }: JSONSchemaProps,
  path: string,
  wanted: string,
  extension: string,
): FieldErrors {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${extension} is specified`;
  return type === ''
    ? [requiredField(child(path, 'type'), detail)]
    : [invalidField(child(path, 'type'), type, detail)];
}

/**
 * Returns the schema of a list's items; undefined if there is none or if there is one schema per position.
 */
export const itemsOf = ({ items }: JSONSchemaProps): JSONSchemaProps | undefined =>
  Array.isArray(items) ? undefined : items;

/** Checks the items of a set. Upstream prints the address of the list type, a pointer, in both errors. */
function validateSet(schema: JSONSchemaProps, path: string, vocabulary: Vocabulary): FieldErrors {
  const items = itemsOf(schema);
  if (items === undefined) return [];
  const [listType, mapType] = [extensionOf(items, 'list-type'), extensionOf(items, 'map-type')];
  const detail = `must be atomic as item of a list with ${vocabulary.extension('list-type')}=set`;
  const refuse = (name: string): FieldErrors => {
    const field = child(path, 'items', vocabulary.extension(name));
    return [invalidField(field, listType ?? null, detail)];
  };
  if (items.type === 'array')
    return listType !== undefined && listType !== 'atomic' ? refuse('list-type') : [];
  return items.type === 'object' && mapType !== 'atomic' ? refuse('map-type') : [];
}

function validateKeys(schema: JSONSchemaProps, path: string, vocabulary: Vocabulary): FieldErrors {
  const keys = extensionOf(schema, 'list-map-keys') ?? [];
  const listType = extensionOf(schema, 'list-type');
  if (keys.length === 0 || listType === 'map') return [];
  const field = child(path, vocabulary.extension('list-type'));
  const detail = `must be map if ${vocabulary.extension('list-map-keys')} is non-empty`;
  return listType === undefined ? [requiredField(field, detail)] : [invalidField(field, listType, detail)];
}

function validateMapList(schema: JSONSchemaProps, path: string, vocabulary: Vocabulary): FieldErrors {
  const keys = extensionOf(schema, 'list-map-keys') ?? [];
  const [keysName, typeName] = [vocabulary.extension('list-map-keys'), vocabulary.extension('list-type')];
  const errors: FieldError[] = [];
  if (keys.length === 0)
    errors.push(requiredField(child(path, keysName), `must not be empty if ${typeName} is map`));
  const items = itemsOf(schema);
  if (schema.items === undefined)
    errors.push(requiredField(child(path, 'items'), `must have a schema if ${typeName} is map`));
  if (items === undefined) return errors;
  if (items.type !== 'object') {
    const detail = `must be object if parent array's ${typeName} is map`;
    return [...errors, invalidField(child(path, 'items', 'type'), items.type ?? '', detail)];
  }
  const properties = items.properties ?? {};
  const refuse = (detail: string): void =>
    void errors.push(invalidLiteral(child(path, keysName), goStrings(keys), detail));
  const repeated = repeats(keys);
  for (const [at, key] of keys.entries()) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) refuse('entries must all be names of item properties');
    else if (property.type === 'array' || property.type === 'object') {
      const field = child(mapKey(child(path, 'items', 'properties'), key), 'type');
      const detail = `must be a scalar type if parent array's ${typeName} is map`;
      errors.push(invalidField(field, items.type, detail));
    }
    if (repeated.has(at)) refuse('must not contain duplicate entries');
  }
  return errors;
}

function validateItems(
  schema: JSONSchemaProps,
  path: string,
  listType: 'set' | 'map',
  vocabulary: Vocabulary,
): FieldErrors {
  const items = itemsOf(schema);
  if (items === undefined) return [];
  const errors: FieldError[] = [];
  if (items.nullable) {
    const detail = `cannot be nullable when ${vocabulary.extension('list-type')} is ${listType}`;
    errors.push(forbiddenField(child(path, 'items', 'nullable'), detail));
  }
  const why = `this property is in ${vocabulary.extension('list-map-keys')}, so it`;
  const required = new Set(items.required);
  for (const key of listType === 'map' ? (extensionOf(schema, 'list-map-keys') ?? []) : []) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (property === undefined) continue;
    const at = mapKey(child(path, 'items', 'properties'), key);
    if (!required.has(key) && property.default === undefined)
      errors.push(
        requiredField(child(at, 'default'), `${why} must have a default or be a required property`),
      );
    if (property.nullable) errors.push(forbiddenField(child(at, 'nullable'), `${why} cannot be nullable`));
  }
  return errors;
}

/**
 * Checks the form of validation rules. Like upstream with its feature gate off, the server stores the rules
 * but does not evaluate them.
 */
function validateRules(schema: DeepReadonly<JSONSchemaProps>, path: string): FieldErrors {
  return (extensionOf(schema as JSONSchemaProps, 'validations') ?? []).flatMap((rule, at) => {
    const message = rule.message ?? '';
    const each = index(path, at);
    if (rule.rule.trim() === '') return [requiredField(child(each, 'rule'), 'rule is not specified')];
    if (message !== '' && message.trim() === '')
      return [invalidField(child(each, 'message'), message, 'must be non-empty if specified')];
    if (/[\n\r]/.test(message.trim()))
      return [invalidField(child(each, 'message'), message, 'must not contain line breaks')];
    return /[\n\r]/.test(rule.rule.trim()) && message.trim() === ''
      ? [requiredField(child(each, 'message'), 'message must be specified if rule contains line breaks')]
      : [];
  });
}

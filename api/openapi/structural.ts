import type { Structural } from '../structural/structural.ts';
import { structuralOf } from '../structural/structural.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { OpenApiSchema } from './dialect.ts';

/** Options of the description of a custom resource. */
export interface StructuralDialect {
  readonly vocabulary: Vocabulary;
  /**
   * True for version 3, which has alternatives, `nullable` and defaults. Version 2 omits these keywords
   * because its clients misread them.
   */
  readonly choices: boolean;
}

/**
 * Returns the schema of a custom resource for clients, like `Unfold` and, for version 2,
 * `ToStructuralOpenAPIV2` of release 1.24.
 */
export function describeStructural(
  node: Structural,
  dialect: StructuralDialect,
  metadata: () => OpenApiSchema,
): OpenApiSchema {
  const described = dialect.choices ? describe3(node, dialect, metadata) : describe2(node, dialect, metadata);
  return node.embedded && (dialect.choices || !node.preserveUnknown)
    ? withObjectFields(described, metadata)
    : described;
}

function withObjectFields(schema: OpenApiSchema, metadata: () => OpenApiSchema): OpenApiSchema {
  const required = new Set([...(schema.required ?? []), 'kind', 'apiVersion']);
  const own = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: metadata() };
  return {
    ...schema,
    required: [...required],
    properties: sortedProperties({ ...schema.properties, ...own }),
  };
}

function describe2(
  node: Structural,
  dialect: StructuralDialect,
  metadata: () => OpenApiSchema,
): OpenApiSchema {
  const { nullable, preserveUnknown, type } = node;
  const bare = nullable || preserveUnknown;
  const untyped =
    nullable || (preserveUnknown && type === 'object') || (type === 'array' && (bare || !node.items));
  const required = (node.props.required ?? []).filter((name) => !node.properties.get(name)?.nullable);
  return {
    ...keywordsOf(node, dialect),
    ...(untyped || type === '' ? {} : { type }),
    ...(required.length > 0 ? { required } : {}),
    ...(bare ? additionalOf(node, dialect, metadata) : partsOf(node, dialect, metadata)),
  };
}

const TYPE_CHOICE: readonly JSONSchemaProps[] = [{ type: 'integer' }, { type: 'string' }];

function describe3(
  node: Structural,
  dialect: StructuralDialect,
  metadata: () => OpenApiSchema,
): OpenApiSchema {
  const { props, type } = node;
  const below = (each: JSONSchemaProps): OpenApiSchema =>
    describeStructural(structuralOf(each), dialect, metadata);
  const listed = (name: 'allOf' | 'oneOf' | 'anyOf', schemas = props[name]): OpenApiSchema =>
    schemas === undefined || schemas.length === 0 ? {} : { [name]: schemas.map(below) };
  const chooses = node.intOrString && props.anyOf === undefined && props.allOf === undefined;
  return {
    ...keywordsOf(node, dialect),
    ...(type === '' ? {} : { type }),
    ...(node.nullable ? { nullable: true } : {}),
    ...(props.required && props.required.length > 0 ? { required: props.required } : {}),
    ...partsOf(node, dialect, metadata),
    ...listed('allOf'),
    ...listed('oneOf'),
    ...listed('anyOf', chooses ? [...TYPE_CHOICE] : props.anyOf),
    ...(props.not ? { not: below(props.not) } : {}),
  };
}

function partsOf(node: Structural, dialect: StructuralDialect, metadata: () => OpenApiSchema): OpenApiSchema {
  const properties = [...node.properties].map(
    ([name, each]) => [name, describeStructural(each, dialect, metadata)] as const,
  );
  return {
    ...(properties.length === 0 ? {} : { properties: sortedProperties(Object.fromEntries(properties)) }),
    ...(node.items ? { items: describeStructural(node.items, dialect, metadata) } : {}),
    ...additionalOf(node, dialect, metadata),
  };
}

function additionalOf(
  { additional }: Structural,
  dialect: StructuralDialect,
  metadata: () => OpenApiSchema,
): OpenApiSchema {
  if (additional === undefined) return {};
  if (additional === true) return { additionalProperties: {} };
  return { additionalProperties: describeStructural(additional, dialect, metadata) };
}

/** Returns the properties sorted by name. */
export const sortedProperties = (properties: Record<string, OpenApiSchema>): Record<string, OpenApiSchema> =>
  Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));

const KEYWORDS = [
  ...(['description', 'title', 'format', 'default', 'maximum', 'exclusiveMaximum', 'minimum'] as const),
  ...([
    'exclusiveMinimum',
    'maxLength',
    'minLength',
    'pattern',
    'maxItems',
    'minItems',
    'uniqueItems',
  ] as const),
  ...(['multipleOf', 'enum', 'maxProperties', 'minProperties'] as const),
];

/** Returns the keywords that do not contain nested schemas. */
function keywordsOf(node: Structural, { vocabulary, choices }: StructuralDialect): OpenApiSchema {
  const { props } = node;
  const extension = (name: string, value: unknown): OpenApiSchema =>
    value === undefined || value === false ? {} : { [vocabulary.extension(name)]: value };
  return {
    ...Object.fromEntries(
      KEYWORDS.filter((key) => props[key] !== undefined && (choices || key !== 'default')).map((key) => [
        key,
        props[key],
      ]),
    ),
    ...extension('preserve-unknown-fields', node.preserveUnknown),
    ...extension('embedded-resource', node.embedded),
    ...extension('int-or-string', node.intOrString),
    ...extension('list-type', node.listType),
    ...extension('list-map-keys', node.listMapKeys.length > 0 ? node.listMapKeys : undefined),
    ...extension('map-type', node.mapType),
  };
}

import {
  type AnySchema,
  type Infer,
  type StructSchema,
  anyJson,
  boolean,
  double,
  either,
  int64,
  listOf,
  mapOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import type { Int64 } from '../schema/exact-json.ts';
import { EXTENSION_PREFIXES, type Product } from '../vocabulary/vocabulary.ts';

/** Link from a schema to external documentation. */
export const ExternalDocumentation = struct(
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation',
  {
    description: value(1, string),
    url: value(2, string),
  },
);
export interface ExternalDocumentation extends Infer<typeof ExternalDocumentation> {}

/** A validation rule in the Common Expression Language (CEL). */
export const ValidationRule = struct('apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule', {
  rule: required(1, string),
  message: value(2, string),
});
export interface ValidationRule extends Infer<typeof ValidationRule> {}

/** JSON schema in a CustomResourceDefinition. Use `extensionOf` to read its extensions. */
export interface JSONSchemaProps {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  type?: string;
  format?: string;
  title?: string;
  default?: unknown;
  maximum?: Int64;
  exclusiveMaximum?: boolean;
  minimum?: Int64;
  exclusiveMinimum?: boolean;
  maxLength?: Int64;
  minLength?: Int64;
  pattern?: string;
  maxItems?: Int64;
  minItems?: Int64;
  uniqueItems?: boolean;
  multipleOf?: Int64;
  enum?: unknown[];
  maxProperties?: Int64;
  minProperties?: Int64;
  required?: string[];
  items?: JSONSchemaProps | JSONSchemaProps[];
  allOf?: JSONSchemaProps[];
  oneOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  not?: JSONSchemaProps;
  properties?: Record<string, JSONSchemaProps>;
  additionalProperties?: JSONSchemaProps | boolean;
  patternProperties?: Record<string, JSONSchemaProps>;
  dependencies?: Record<string, JSONSchemaProps | string[]>;
  additionalItems?: JSONSchemaProps | boolean;
  definitions?: Record<string, JSONSchemaProps>;
  externalDocs?: ExternalDocumentation;
  example?: unknown;
  nullable?: boolean;
}

/** Extensions of JSON Schema. Their names in JSON have the prefix of a product. */
export interface SchemaExtensions {
  'preserve-unknown-fields': boolean;
  'embedded-resource': boolean;
  'int-or-string': boolean;
  'list-map-keys': string[];
  'list-type': string;
  'map-type': string;
  validations: ValidationRule[];
}

const NAME = 'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

const json: AnySchema = { ...anyJson, name: 'apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON' };

const schema = ref<JSONSchemaProps>((): StructSchema => JSONSchemaProps);
const orBoolean = either<JSONSchemaProps | boolean>(`${NAME}OrBool`, schema, boolean);
const orList = either<JSONSchemaProps | JSONSchemaProps[]>(`${NAME}OrArray`, schema, listOf(schema));
const orStrings = either<JSONSchemaProps | string[]>(`${NAME}OrStringArray`, schema, listOf(string));

/**
 * Returns the extension fields with the prefix of a product. A schema may use the prefix of either product
 * under any vocabulary, so that CustomResourceDefinitions work under both. Fields with upstream's prefix have
 * upstream's protobuf numbers. Fields with this project's prefix have higher numbers.
 */
function extensions(product: Product, shift: number): StructSchema['fields'] {
  const prefix = EXTENSION_PREFIXES[product];
  const only = { product };
  return {
    [`${prefix}preserve-unknown-fields`]: optional(shift + 38, boolean, only),
    [`${prefix}embedded-resource`]: value(shift + 39, boolean, only),
    [`${prefix}int-or-string`]: value(shift + 40, boolean, only),
    [`${prefix}list-map-keys`]: value(shift + 41, listOf(string), only),
    [`${prefix}list-type`]: optional(shift + 42, string, only),
    [`${prefix}map-type`]: optional(shift + 43, string, only),
    [`${prefix}validations`]: value(shift + 44, listOf(ref<ValidationRule>(ValidationRule)), {
      ...only,
      listType: 'map',
      listMapKeys: ['rule'],
      patchStrategy: ['merge'],
      patchMergeKey: 'rule',
    }),
  };
}

/** Products in the order of the protobuf numbers of their fields; upstream is first. */
const PRODUCTS = Object.keys(EXTENSION_PREFIXES) as Product[];
const OWN_NUMBERS = 100;

/** Names of the field with validation rules, one for each product. */
export const RULES: readonly string[] = PRODUCTS.map(
  (product) => `${EXTENSION_PREFIXES[product]}validations`,
);

/** Names of the field that allows both integers and strings, one for each product. */
export const INT_OR_STRING: readonly string[] = PRODUCTS.map(
  (product) => `${EXTENSION_PREFIXES[product]}int-or-string`,
);

export const JSONSchemaProps: StructSchema = struct(NAME, {
  id: value(1, string),
  $schema: value(2, string),
  $ref: optional(3, string),
  description: value(4, string),
  type: value(5, string),
  format: value(6, string),
  title: value(7, string),
  default: optional(8, json),
  maximum: optional(9, double),
  exclusiveMaximum: value(10, boolean),
  minimum: optional(11, double),
  exclusiveMinimum: value(12, boolean),
  maxLength: optional(13, int64),
  minLength: optional(14, int64),
  pattern: value(15, string),
  maxItems: optional(16, int64),
  minItems: optional(17, int64),
  uniqueItems: value(18, boolean),
  multipleOf: optional(19, double),
  enum: value(20, listOf(json)),
  maxProperties: optional(21, int64),
  minProperties: optional(22, int64),
  required: value(23, listOf(string)),
  items: optional(24, orList),
  allOf: value(25, listOf(schema)),
  oneOf: value(26, listOf(schema)),
  anyOf: value(27, listOf(schema)),
  not: optional(28, schema),
  properties: value(29, mapOf(schema)),
  additionalProperties: optional(30, orBoolean),
  patternProperties: value(31, mapOf(schema)),
  dependencies: value(32, mapOf(orStrings)),
  additionalItems: optional(33, orBoolean),
  definitions: value(34, mapOf(schema)),
  externalDocs: optional(35, ref<ExternalDocumentation>(ExternalDocumentation)),
  example: optional(36, json),
  nullable: value(37, boolean),
  ...Object.fromEntries(
    PRODUCTS.flatMap((product, at) => Object.entries(extensions(product, at * OWN_NUMBERS))),
  ),
});

/**
 * Names of each extension, one for each product. They are cached, because composing a name on each look-up
 * dominated the cost of validating a schema.
 */
const extensionNames = new Map<string, readonly string[]>();

function namesOf(name: string): readonly string[] {
  let names = extensionNames.get(name);
  if (names === undefined) {
    names = PRODUCTS.map((product) => `${EXTENSION_PREFIXES[product]}${name}`);
    extensionNames.set(name, names);
  }
  return names;
}

/** Returns the value of an extension in a schema, under the prefix of either product. */
export function extensionOf<N extends keyof SchemaExtensions>(
  props: JSONSchemaProps,
  name: N,
): SchemaExtensions[N] | undefined {
  const fields = props as { readonly [field: string]: unknown };
  for (const each of namesOf(name)) {
    const value = fields[each];
    if (value !== undefined) return value === null ? undefined : (value as SchemaExtensions[N]);
  }
  return undefined;
}

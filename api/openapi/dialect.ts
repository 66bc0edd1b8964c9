import type { Int64 } from '../schema/exact-json.ts';

/** A JSON schema in the form of OpenAPI. */
export interface OpenApiSchema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  required?: string[];
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  additionalProperties?: OpenApiSchema;
  allOf?: OpenApiSchema[];
  oneOf?: OpenApiSchema[];
  // `anyOf`, `not` and `nullable` occur only in version 3.
  anyOf?: OpenApiSchema[];
  not?: OpenApiSchema;
  nullable?: boolean;
  // All following keywords occur only in custom resources.
  title?: string;
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
  maxProperties?: Int64;
  minProperties?: Int64;
  [extension: `x-${string}`]: unknown;
}

/** Definitions by type name, sorted by name. */
export type Definitions = Record<string, OpenApiSchema>;

/** Differences between the two versions of OpenAPI. */
export interface Dialect {
  /** Prefix of a reference: `#/definitions/` or `#/components/schemas/`. */
  readonly refPrefix: string;
  /**
   * True if a reference with a description or default is wrapped in `allOf`, as version 3 requires. Version 2
   * writes the reference and these keywords in one schema.
   */
  readonly wrapsReferences: boolean;
  /** True if values with two JSON types are written as `oneOf`. */
  readonly choices: boolean;
  /** True if defaults are written, including the zero values of fields held by value. */
  readonly defaults: boolean;
}

/** OpenAPI version 2 (Swagger). */
export const VERSION_2: Dialect = {
  refPrefix: '#/definitions/',
  wrapsReferences: false,
  choices: false,
  defaults: false,
};
/** OpenAPI version 3. */
export const VERSION_3: Dialect = {
  refPrefix: '#/components/schemas/',
  wrapsReferences: true,
  choices: true,
  defaults: true,
};

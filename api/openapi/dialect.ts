import type { Int64 } from '../schema/exact-json.ts';

/** A JSON Schema, as OpenAPI writes one. */
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
  /** These three in version 3 alone. */
  anyOf?: OpenApiSchema[];
  not?: OpenApiSchema;
  nullable?: boolean;
  /** What follows is said of custom resources alone. */
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

/** Names of a type, sorted by name. */
export type Definitions = Record<string, OpenApiSchema>;

/** How the two versions of OpenAPI differ. */
export interface Dialect {
  /** `#/definitions/` or `#/components/schemas/`. */
  readonly refPrefix: string;
  /** A reference beside which a description or default stands: version 2 puts them side by side, version 3 may not. */
  readonly wrapsReferences: boolean;
  /** Values with two JSON types are written as a choice. */
  readonly choices: boolean;
  /** What a field or item is that is not given is said: the zero value where it is no pointer. */
  readonly defaults: boolean;
}

export const VERSION_2: Dialect = {
  refPrefix: '#/definitions/',
  wrapsReferences: false,
  choices: false,
  defaults: false,
};
export const VERSION_3: Dialect = {
  refPrefix: '#/components/schemas/',
  wrapsReferences: true,
  choices: true,
  defaults: true,
};

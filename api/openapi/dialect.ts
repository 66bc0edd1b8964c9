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
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  multipleOf?: number;
  maxProperties?: number;
  minProperties?: number;
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

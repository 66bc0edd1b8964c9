import type { securityDefinitions } from './credentials.ts';
import type { Definitions, OpenApiSchema } from './dialect.ts';
import {
  EMPTY,
  type Piece,
  chosenDouble,
  chosenFlag,
  chosenText,
  embedded,
  encoded,
  extensions,
  flag,
  limits,
  message,
  named,
  text,
} from './gnostic.ts';
import type { Method } from './operation.ts';

/** The parts of an OpenAPI version 3 document that the server writes. */
export interface VersionThreeDocument {
  readonly openapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, VersionThreePath>>;
  readonly components: {
    readonly schemas: Definitions;
    readonly securitySchemes: typeof securityDefinitions;
  };
}

/** A path of a version 3 document: its operations and shared parameters. */
export type VersionThreePath = { readonly [method in Method]?: VersionThreeOperation } & {
  /** Parameters of all operations of the path. */
  readonly parameters?: readonly VersionThreeParameter[];
};

/** An operation of a version 3 document. */
export interface VersionThreeOperation {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly VersionThreeParameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly [extension: `x-${string}`]: unknown;
}

/** Schemas of a body by media type. */
export type Content = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

/** A parameter of a version 3 document. */
export interface VersionThreeParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: OpenApiSchema;
}

/**
 * Encodes a document as gnostic's protobuf message `openapi.v3.Document`, with the field numbers of gnostic's
 * OpenAPIv3.proto.
 */
export const encodeVersionThree = ({ openapi, info, paths, components }: VersionThreeDocument): Buffer =>
  encoded(
    message(
      text(1, openapi),
      embedded(2, text(1, info.title), text(6, info.version)),
      embedded(4, ...Object.entries(paths).map(([path, item]) => named(1, path, pathItem(item)))),
      embedded(
        5,
        embedded(1, ...schemas(components.schemas)),
        embedded(
          7,
          ...Object.entries(components.securitySchemes).map(([name, each]) => named(1, name, scheme(each))),
        ),
      ),
    ),
  );

/** Field numbers in gnostic's messages for a choice between a value and a reference to it. */
const ITSELF = 1;
const REFERENCE = 2;

const scheme = (by: (typeof securityDefinitions)['BearerToken']): Piece =>
  embedded(ITSELF, text(1, by.type), text(2, by.description), text(3, by.name), text(4, by.in));

const METHODS = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10 } as const;

const pathItem = (item: VersionThreePath): Piece =>
  message(
    ...Object.entries(METHODS).map(([method, number]) => {
      const operation = item[method as Method];
      return operation === undefined ? EMPTY : embedded(number, operationOf(operation));
    }),
    ...parameters(13, item.parameters),
  );

const operationOf = (operation: VersionThreeOperation): Piece =>
  message(
    ...operation.tags.map((tag) => text(1, tag)),
    text(3, operation.description),
    text(5, operation.operationId),
    ...parameters(6, operation.parameters),
    operation.requestBody === undefined
      ? EMPTY
      : embedded(7, embedded(ITSELF, content(2, operation.requestBody.content))),
    embedded(
      8,
      ...Object.entries(operation.responses).map(([code, response]) =>
        named(
          2,
          code,
          embedded(
            ITSELF,
            text(1, response.description),
            response.content === undefined ? EMPTY : content(3, response.content),
          ),
        ),
      ),
    ),
    ...extensions(13, operation),
  );

const parameters = (number: number, of: readonly VersionThreeParameter[] = []): Piece[] =>
  of.map((each) =>
    embedded(
      number,
      embedded(
        ITSELF,
        text(1, each.name),
        text(2, each.in),
        text(3, each.description ?? ''),
        flag(4, each.required ?? false),
        embedded(10, referred(each.schema)),
      ),
    ),
  );

const content = (number: number, of: Content): Piece =>
  embedded(
    number,
    ...Object.entries(of).map(([type, { schema }]) => named(1, type, embedded(1, referred(schema)))),
  );

const schemas = (of: Readonly<Record<string, OpenApiSchema>>): Piece[] =>
  Object.entries(of).map(([name, schema]) => named(1, name, referred(schema)));

const referred = (schema: OpenApiSchema): Piece =>
  schema.$ref === undefined ? embedded(ITSELF, schemaOf(schema)) : embedded(REFERENCE, text(1, schema.$ref));

const schemaOf = (schema: OpenApiSchema): Piece =>
  message(
    flag(1, schema.nullable ?? false),
    text(9, schema.title ?? ''),
    ...limits(10, schema),
    text(25, schema.type ?? ''),
    ...partsOf(schema),
    ...textsOf(schema),
  );

const partsOf = ({ items, properties, additionalProperties, ...schema }: OpenApiSchema): Piece[] => [
  ...(schema.allOf ?? []).map((each) => embedded(26, referred(each))),
  ...(schema.oneOf ?? []).map((each) => embedded(27, referred(each))),
  ...(schema.anyOf ?? []).map((each) => embedded(28, referred(each))),
  schema.not === undefined ? EMPTY : embedded(29, schemaOf(schema.not)),
  items === undefined ? EMPTY : embedded(30, embedded(1, referred(items))),
  properties === undefined ? EMPTY : embedded(31, ...schemas(properties)),
  additionalProperties === undefined ? EMPTY : embedded(32, embedded(1, referred(additionalProperties))),
];

const textsOf = (schema: OpenApiSchema): Piece[] => [
  schema.default === undefined ? EMPTY : embedded(33, defaultOf(schema.default)),
  text(34, schema.description ?? ''),
  text(35, schema.format ?? ''),
  ...extensions(36, schema),
];

/** Encodes a default. The message supports only scalars; any other default is written as an empty message. */
function defaultOf(value: unknown): Piece {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return chosenDouble(1, Number(value));
    case 'boolean':
      return chosenFlag(2, value);
    case 'string':
      return chosenText(3, value);
    default:
      return EMPTY;
  }
}

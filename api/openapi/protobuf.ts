import { security, securityDefinitions } from './credentials.ts';
import type { OpenApiSchema } from './dialect.ts';
import type { Method } from './operation.ts';
import {
  EMPTY,
  type Piece,
  any,
  embedded,
  encoded,
  extensions,
  flag,
  limits,
  message,
  named,
  text,
  written,
} from './gnostic.ts';

/** The parts of an OpenAPI version 2 document that the server writes. */
export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, SwaggerPath>>;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
  readonly securityDefinitions: typeof securityDefinitions;
  readonly security: typeof security;
}

/** A path of a version 2 document: its operations and shared parameters. */
export type SwaggerPath = { readonly [method in Method]?: SwaggerOperation } & {
  /** Parameters of all operations of the path. */
  readonly parameters?: readonly SwaggerParameter[];
};

/** An operation of a version 2 document. */
export interface SwaggerOperation {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly consumes?: readonly string[];
  readonly produces: readonly string[];
  readonly schemes: readonly string[];
  readonly parameters?: readonly SwaggerParameter[];
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly schema?: OpenApiSchema }>
  >;
  readonly [extension: `x-${string}`]: unknown;
}

/** A parameter of a version 2 document. */
export interface SwaggerParameter {
  readonly name: string;
  readonly in: 'body' | 'path' | 'query';
  readonly description?: string;
  readonly required?: boolean;
  readonly type?: string;
  readonly uniqueItems?: boolean;
  readonly schema?: OpenApiSchema;
}

/**
 * Encodes a document as gnostic's protobuf message `openapi.v2.Document`, the only form that older
 * command-line clients read. Field numbers are from gnostic's OpenAPIv2.proto. Extensions are YAML strings;
 * they are written as JSON, which is valid YAML.
 */
export const encodeSwagger = ({
  info,
  paths,
  definitions,
}: Pick<SwaggerDocument, 'info' | 'paths' | 'definitions'>): Buffer =>
  joinSwagger(
    info,
    Object.entries(paths).map(([path, item]) => encodePath(path, item)),
    Object.entries(definitions).map(([name, schema]) => encodeDefinition(name, schema)),
  );

/** Encodes a document like `encodeSwagger`, from paths and definitions that are already encoded. */
export const joinSwagger = (
  info: SwaggerDocument['info'],
  paths: readonly Buffer[],
  definitions: readonly Buffer[],
): Buffer =>
  encoded(
    message(
      text(1, '2.0'),
      embedded(2, text(1, info.title), text(2, info.version)),
      embedded(8, ...paths.map(written)),
      embedded(9, ...definitions.map(written)),
      ...security.map((each) => embedded(12, ...Object.keys(each).map((name) => named(1, name, EMPTY)))),
      embedded(
        13,
        ...Object.entries(securityDefinitions).map(([name, each]) => named(1, name, apiKey(each))),
      ),
    ),
  );

const apiKey = (by: (typeof securityDefinitions)['BearerToken']): Piece =>
  embedded(2, text(1, by.type), text(2, by.name), text(3, by.in), text(4, by.description));

/** Encodes one path as an entry of gnostic's map. */
export const encodePath = (path: string, item: SwaggerPath): Buffer =>
  encoded(named(2, path, pathItem(item)));

/** Encodes one definition as an entry of gnostic's map. */
export const encodeDefinition = (name: string, schema: OpenApiSchema): Buffer =>
  encoded(named(1, name, schemaOf(schema)));

const METHODS = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 } as const;

const pathItem = (item: SwaggerPath): Piece =>
  message(
    ...Object.entries(METHODS).map(([method, number]) => {
      const operation = item[method as Method];
      return operation === undefined ? EMPTY : embedded(number, operationOf(operation));
    }),
    ...parametersOf(9, item.parameters),
  );

const parametersOf = (number: number, parameters: readonly SwaggerParameter[] = []): Piece[] =>
  parameters.map((each) => embedded(number, embedded(1, parameterOf(each))));

const operationOf = (operation: SwaggerOperation): Piece =>
  message(
    ...operation.tags.map((tag) => text(1, tag)),
    text(3, operation.description),
    text(5, operation.operationId),
    ...operation.produces.map((type) => text(6, type)),
    ...(operation.consumes ?? []).map((type) => text(7, type)),
    ...parametersOf(8, operation.parameters),
    embedded(
      9,
      ...Object.entries(operation.responses).map(([code, each]) => named(1, code, responseOf(each))),
    ),
    ...operation.schemes.map((scheme) => text(10, scheme)),
    ...extensions(13, operation),
  );

function parameterOf(parameter: SwaggerParameter): Piece {
  const { name, in: place, description = '', required = false } = parameter;
  if (place === 'body')
    return embedded(
      1,
      text(1, description),
      text(2, name),
      text(3, place),
      flag(4, required),
      embedded(5, schemaOf(parameter.schema ?? {})),
    );
  // Query parameters also have `allowEmptyValue`, so their numbers from `type` on are higher by one.
  const [kind, typeAt, uniqueAt] = place === 'query' ? ([3, 6, 20] as const) : ([4, 5, 19] as const);
  return embedded(
    2,
    embedded(
      kind,
      flag(1, required),
      text(2, place),
      text(3, description),
      text(4, name),
      text(typeAt, parameter.type ?? ''),
      flag(uniqueAt, parameter.uniqueItems ?? false),
    ),
  );
}

const responseOf = (response: { description: string; schema?: OpenApiSchema }): Piece =>
  embedded(
    1,
    text(1, response.description),
    response.schema === undefined ? EMPTY : embedded(2, embedded(1, schemaOf(response.schema))),
  );

function schemaOf(schema: OpenApiSchema): Piece {
  const { properties, items, additionalProperties } = schema;
  return message(
    text(1, schema.$ref ?? ''),
    text(2, schema.format ?? ''),
    text(3, schema.title ?? ''),
    text(4, schema.description ?? ''),
    schema.default === undefined ? EMPTY : embedded(5, any(schema.default)),
    ...limits(6, schema),
    additionalProperties === undefined ? EMPTY : embedded(21, embedded(1, schemaOf(additionalProperties))),
    schema.type === undefined ? EMPTY : embedded(22, text(1, schema.type)),
    items === undefined ? EMPTY : embedded(23, embedded(1, schemaOf(items))),
    properties === undefined
      ? EMPTY
      : embedded(25, ...Object.entries(properties).map(([name, each]) => named(1, name, schemaOf(each)))),
    ...extensions(31, schema),
  );
}

import { isGoInteger } from '../schema/go-text.ts';
import { isObject, type JsonObject } from '../schema/own.ts';
import type { OpenApiSchema } from './dialect.ts';
import type { SwaggerOperation, SwaggerParameter, SwaggerPath } from './protobuf.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
const PLACES = ['body', 'path', 'query'] as const;

const record = (value: unknown): JsonObject => (isObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/**
 * Converts a path of another server's document to this server's form. Unknown members and members of a wrong
 * type are dropped.
 */
export function plainPath(value: unknown): SwaggerPath {
  const item = record(value);
  const shared = parametersOf(item['parameters']);
  return Object.fromEntries(
    METHODS.filter((method) => isObject(item[method])).map((method) => [
      method,
      plainOperation(record(item[method]), shared),
    ]),
  );
}

function plainOperation(operation: JsonObject, shared: readonly SwaggerParameter[]): SwaggerOperation {
  const own = parametersOf(operation['parameters']);
  const isOwn = (each: SwaggerParameter): boolean =>
    own.some(({ name, in: place }) => name === each.name && place === each.in);
  return {
    tags: textsOf(operation['tags']),
    description: textOf(operation['description']),
    operationId: textOf(operation['operationId']),
    consumes: textsOf(operation['consumes']),
    produces: textsOf(operation['produces']),
    schemes: textsOf(operation['schemes']),
    parameters: [...own, ...shared.filter((each) => !isOwn(each))],
    responses: Object.fromEntries(
      Object.entries(record(operation['responses'])).map(([code, given]) => {
        const { description, schema } = record(given);
        const rest = isObject(schema) ? { schema: plainSchema(schema) } : {};
        return [code, { description: textOf(description), ...rest }];
      }),
    ),
    ...extensionsOf(operation),
  };
}

function parametersOf(value: unknown): SwaggerParameter[] {
  if (!Array.isArray(value)) return [];
  return value.map(record).flatMap((given) => {
    const place = PLACES.find((each) => each === given['in']);
    const name = textOf(given['name']);
    if (place === undefined || name === '') return [];
    return [
      {
        name,
        in: place,
        description: textOf(given['description']),
        required: given['required'] === true,
        type: textOf(given['type']),
        uniqueItems: given['uniqueItems'] === true,
        ...(isObject(given['schema']) ? { schema: plainSchema(given['schema']) } : {}),
      },
    ];
  });
}

const TEXTS = ['$ref', 'type', 'format', 'description', 'title', 'pattern'] as const;
const FLAGS = ['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems'] as const;
const NUMBERS = ['maximum', 'minimum', 'multipleOf'] as const;
const COUNTS = ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'] as const;

/**
 * Converts a definition of another server's document to this server's form. Unknown members and members of a
 * wrong type are dropped.
 */
export function plainSchema(value: unknown): OpenApiSchema {
  const given = record(value);
  const { items, additionalProperties, properties, required } = given;
  const schema: OpenApiSchema = { ...extensionsOf(given) };
  for (const name of TEXTS) if (typeof given[name] === 'string') schema[name] = given[name];
  for (const name of FLAGS) if (typeof given[name] === 'boolean') schema[name] = given[name];
  for (const name of NUMBERS) {
    const number = given[name];
    if (typeof number === 'number' || typeof number === 'bigint') schema[name] = number;
  }
  for (const name of COUNTS) {
    const count = given[name];
    if (isGoInteger(count)) schema[name] = count;
  }
  if (given['default'] !== undefined) schema.default = given['default'];
  if (Array.isArray(given['enum'])) schema.enum = given['enum'];
  if (Array.isArray(required)) schema.required = textsOf(required);
  if (isObject(items)) schema.items = plainSchema(items);
  if (isObject(additionalProperties)) schema.additionalProperties = plainSchema(additionalProperties);
  if (isObject(properties))
    schema.properties = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, plainSchema(each)]),
    );
  return schema;
}

const extensionsOf = (value: JsonObject): Record<`x-${string}`, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name.startsWith('x-')));

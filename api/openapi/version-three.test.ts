import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { builtinKinds, formerKinds } from '../groups/index.ts';
import { createScheme } from '../kinds/scheme.ts';
import { kubernetesVocabulary } from '../vocabulary/vocabulary.ts';
import type { OpenApiSchema } from './dialect.ts';
import { createOpenApi } from './documents.ts';
import { type VersionThreeDocument, encodeVersionThree } from './version-three.ts';

const { root } = protobuf.parse(
  readFileSync(new URL('./gnostic.fixture.proto', import.meta.url), 'utf8'),
  new protobuf.Root(),
);
const DocumentMessage = root.lookupType('openapi.v3.Document');

const decoded = (bytes: Buffer): object => read(DocumentMessage, DocumentMessage.decode(bytes)) as object;

type Fields = { readonly [field: string]: unknown };

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * Converts a protobuf message to the JSON form: named pairs become maps, choices become the chosen member.
 */
function read(type: protobuf.Type, message: object): unknown {
  const fields = type.fieldsArray.filter(
    ({ name }) => Object.hasOwn(message, name) && !isNothing((message as Fields)[name]),
  );
  const values = fields.map(
    (field) => [field.name, readField(field.resolve(), (message as Fields)[field.name])] as const,
  );
  const [[, first] = []] = values;
  switch (type.name) {
    case 'Any':
      return JSON.parse(String(first));
    case 'DefaultType':
      return first ?? NO_SCALAR;
    case 'ItemsItem':
      return (first as unknown[])[0];
    case 'AdditionalPropertiesItem':
      return first;
    case 'Paths':
    case 'Responses':
      return asMap(first);
  }
  if (/^(?!Named).*OrReference$/.test(type.name)) return first;
  if (type.fieldsArray.length === 1 && type.fields['additionalProperties'] !== undefined) return asMap(first);
  return Object.fromEntries(
    values.flatMap(([name, value]): [string, unknown][] => {
      if (name === 'specificationExtension') return Object.entries(asMap(value));
      return [[name === '_ref' ? '$ref' : name, value]];
    }),
  );
}

function readField(field: protobuf.Field, value: unknown): unknown {
  if (field.repeated) return (value as unknown[]).map((each) => readValue(field, each));
  return readValue(field, value);
}

function readValue({ type, resolvedType }: protobuf.Field, value: unknown): unknown {
  if (resolvedType instanceof protobuf.Type) return read(resolvedType, value as object);
  return type === 'int64' ? Number(value) : value;
}

const asMap = (pairs: unknown = []): Record<string, unknown> =>
  Object.fromEntries((pairs as { name: string; value: unknown }[]).map(({ name, value }) => [name, value]));

const NO_SCALAR = 'no scalar';

/**
 * Reduces a schema to the content that the message can express. A default that is not a scalar is present but
 * empty.
 */
function sayable(value: unknown, isSchema = true): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => sayable(each));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) =>
      isSchema && key === 'default' && typeof each === 'object'
        ? [key, NO_SCALAR]
        : [key, sayable(each, key !== 'properties')],
    ),
  );
}

const everything = createOpenApi(createScheme(kubernetesVocabulary, [...builtinKinds, ...formerKinds]), {
  version: 'v1.24.17',
});

const documentOf = (schema: OpenApiSchema): VersionThreeDocument => ({
  openapi: '3.0.0',
  info: { title: 'T', version: 'v1' },
  paths: {},
  components: { schemas: { A: schema }, securitySchemes: everything.v3('api/v1').components.securitySchemes },
});

const schemaRead = (schema: OpenApiSchema): unknown =>
  (decoded(encodeVersionThree(documentOf(schema))) as { components: { schemas: { A: unknown } } }).components
    .schemas.A;

describe('the protobuf form of version 3', () => {
  it.each(everything.v3Paths())('has the same content as the JSON of %s', (path) => {
    expect(decoded(everything.v3Protobuf(path))).toEqual(sayable(everything.v3(path)));
  });

  it('has the constraints of custom resources', () => {
    const schema: OpenApiSchema = {
      title: 'a',
      type: 'object',
      nullable: true,
      required: ['b', 'c'],
      properties: {
        b: {
          type: 'integer',
          format: 'int64',
          maximum: 9.5,
          minimum: -1,
          exclusiveMaximum: true,
          multipleOf: 2,
        },
        c: { type: 'string', pattern: '^a$', maxLength: 300, minLength: 1, enum: ['x', 'y'] },
        d: { type: 'array', maxItems: 5, minItems: 2, uniqueItems: true, items: { type: 'string' } },
        e: { maxProperties: 4, minProperties: 3, additionalProperties: { type: 'boolean' } },
        f: { anyOf: [{ type: 'integer' }, { type: 'string' }], not: { exclusiveMinimum: true } },
        g: { oneOf: [{ $ref: '#/components/schemas/A' }], allOf: [{ format: 'date' }] },
      },
      'x-kubernetes-list-map-keys': ['name', 'port'],
    };
    expect(schemaRead(schema)).toEqual(schema);
  });

  it.each([0, 1.5, '', 'text', false, true])('has the default %j, including zero values', (value) => {
    expect(schemaRead({ type: 'string', default: value })).toEqual({ type: 'string', default: value });
  });

  it.each([{ value: {} }, { value: { a: 1 } }, { value: [1] }, { value: null }])(
    'writes the default $value as an empty default',
    ({ value }) =>
      expect(schemaRead({ type: 'string', default: value })).toHaveProperty('default', NO_SCALAR),
  );
});

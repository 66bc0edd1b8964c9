import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { VERSION_2, VERSION_3, definitionsOf } from './definitions.ts';
import { type Operation, operationsOf, type Parameter } from './paths.ts';
import { type SwaggerDocument, type SwaggerOperation, encodeSwagger } from './protobuf.ts';

/** The API described for clients; each document is made when asked for. */
export interface OpenApi {
  /** Version 2 (Swagger), everything in one document. */
  v2(): SwaggerDocument;
  /** The same as gnostic's protobuf message `openapi.v2.Document`. */
  v2Protobuf(): Buffer;
  /** `api/v1`, `apis/batch/v1`, … */
  v3Paths(): readonly string[];
  /** Version 3, of one group version. */
  v3(path: string): object;
}

const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
const MEDIA = ['application/json', 'application/yaml'];

/** `version` is the server's, such as `v1.24.17`. */
export function createOpenApi(scheme: Scheme, version: string): OpenApi {
  const byPath = new Map<string, AnyKind[]>();
  for (const kind of scheme.kinds) {
    const path = kind.group === '' ? `api/${kind.version}` : `apis/${scheme.apiVersionOf(kind)}`;
    byPath.set(path, [...(byPath.get(path) ?? []), kind]);
  }
  const v2 = (): SwaggerDocument => swagger(scheme, version);
  return {
    v2,
    v2Protobuf: () => encodeSwagger(v2()),
    v3Paths: () => [...byPath.keys()].sort(),
    v3: (path) => versionThree(scheme, version, byPath.get(path) ?? []),
  };
}

const titleOf = (vocabulary: Vocabulary): string =>
  vocabulary.product.charAt(0).toUpperCase() + vocabulary.product.slice(1);

function swagger(scheme: Scheme, version: string): SwaggerDocument {
  const { vocabulary } = scheme;
  const paths = byPathAndMethod(operationsOf(scheme, scheme.kinds), (operation) =>
    swaggerOperation(vocabulary, operation),
  );
  return {
    swagger: '2.0',
    info: { title: titleOf(vocabulary), version },
    paths,
    definitions: definitionsOf(scheme, scheme.kinds, VERSION_2),
  };
}

/** Paths in order, each with its operations by method. */
function byPathAndMethod<T>(
  operations: readonly Operation[],
  write: (operation: Operation) => T,
): Record<string, Partial<Record<Operation['method'], T>>> {
  const paths = new Map<string, Partial<Record<Operation['method'], T>>>();
  for (const operation of operations)
    paths.set(operation.path, { ...paths.get(operation.path), [operation.method]: write(operation) });
  return Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const extensionsOf = (
  vocabulary: Vocabulary,
  { action, gvk }: Operation,
): Record<`x-${string}`, unknown> => ({
  [vocabulary.extension('action')]: action,
  [vocabulary.extension('group-version-kind')]: gvk,
});

function swaggerOperation(vocabulary: Vocabulary, operation: Operation): SwaggerOperation {
  const reference = (name: string) => ({ $ref: `${VERSION_2.refPrefix}${vocabulary.definition(name)}` });
  const inPlace = (place: 'path' | 'query') => (each: Parameter) => ({
    name: each.name,
    in: place,
    description: each.description,
    type: each.type,
    uniqueItems: true,
    ...(place === 'path' ? { required: true } : {}),
  });
  const body = operation.body;
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.operationId,
    consumes: operation.method === 'patch' ? PATCHES : ['*/*'],
    produces: operation.action === 'list' ? [...MEDIA, 'application/json;stream=watch'] : MEDIA,
    schemes: ['https'],
    parameters: [
      ...(body === undefined
        ? []
        : [
            {
              name: 'body',
              in: 'body' as const,
              ...(operation.method === 'delete' ? {} : { required: true }),
              schema: reference(body),
            },
          ]),
      ...operation.pathParameters.map(inPlace('path')),
      ...operation.queryParameters.map(inPlace('query')),
    ],
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([code, name]) => [
          code,
          { description: DESCRIPTIONS[code] ?? '', schema: reference(name) },
        ]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(vocabulary, operation),
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

function versionThree(scheme: Scheme, version: string, kinds: readonly AnyKind[]): object {
  const { vocabulary } = scheme;
  const paths = byPathAndMethod(operationsOf(scheme, kinds), (operation) =>
    versionThreeOperation(vocabulary, operation),
  );
  return {
    openapi: '3.0.0',
    info: { title: titleOf(vocabulary), version },
    paths,
    components: { schemas: definitionsOf(scheme, kinds, VERSION_3) },
  };
}

function versionThreeOperation(vocabulary: Vocabulary, operation: Operation): object {
  const schema = (name: string): object => ({
    schema: { $ref: `${VERSION_3.refPrefix}${vocabulary.definition(name)}` },
  });
  const content = (media: readonly string[], name: string): object =>
    Object.fromEntries(media.map((type) => [type, schema(name)]));
  const inPlace = (place: 'path' | 'query') => (each: Parameter) => ({
    name: each.name,
    in: place,
    description: each.description,
    ...(place === 'path' ? { required: true } : {}),
    schema: { type: each.type, uniqueItems: true },
  });
  const answers = operation.action === 'list' ? [...MEDIA, 'application/json;stream=watch'] : MEDIA;
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.operationId,
    parameters: [
      ...operation.pathParameters.map(inPlace('path')),
      ...operation.queryParameters.map(inPlace('query')),
    ],
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            ...(operation.method === 'delete' ? {} : { required: true }),
            content: content(operation.method === 'patch' ? PATCHES : ['*/*'], operation.body),
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([code, name]) => [
          code,
          { description: DESCRIPTIONS[code] ?? '', content: content(answers, name) },
        ]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(vocabulary, operation),
  };
}

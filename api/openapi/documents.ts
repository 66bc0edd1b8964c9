import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { VERSION_2, VERSION_3, definitionsOf } from './definitions.ts';
import type { Operation, Parameter } from './operation.ts';
import { type ForeignSwagger, type SwaggerPieces, withForeign } from './foreign.ts';
import { operationsOf } from './paths.ts';
import { type Description, pieceOf, sortedOnce } from './pieces.ts';
import {
  type SwaggerDocument,
  type SwaggerOperation,
  encodeDefinition,
  encodePath,
  joinSwagger,
} from './protobuf.ts';

/**
 * The API described for clients; each document is made when asked for, of the kinds there are then. What is written of
 * the kinds of the start is kept for good, what is written of others as long as they are there, so that a document with
 * one kind more costs that kind.
 */
export interface OpenApi {
  /** Version 2 (Swagger), everything in one document. */
  v2(): SwaggerDocument;
  /** The same as text, with what other servers say of theirs; default nothing. */
  v2Json(foreign?: readonly ForeignSwagger[]): Buffer;
  /** The same as gnostic's protobuf message `openapi.v2.Document`. */
  v2Protobuf(foreign?: readonly ForeignSwagger[]): Buffer;
  /** `api/v1`, `apis/batch/v1`, … */
  v3Paths(): readonly string[];
  /** Version 3, of one group version. */
  v3(path: string): object;
  /** What that document is made of: it changes with these alone. */
  v3Kinds(path: string): readonly AnyKind[];
}

const MEDIA = ['application/json', 'application/yaml'];
const ANY_MEDIA = ['*/*'];

/** `version` is the server's, such as `v1.24.17`; `scheme` may change, and its present kinds are those that stay. */
export function createOpenApi(scheme: Scheme, version: string): OpenApi {
  const fixed = scheme.kinds;
  const isFixed = new Set(fixed);
  const info = { title: titleOf(scheme.vocabulary), version };
  const described = new WeakMap<AnyKind, Description>();
  let base: Description | undefined;
  const parts = (): Description[] => [
    (base ??= describe(scheme, fixed)),
    ...scheme.kinds
      .filter((kind) => !isFixed.has(kind))
      .map((kind) => describedOnce(described, scheme, kind)),
  ];
  const whole = (foreign: readonly ForeignSwagger[]): SwaggerPieces =>
    withForeign(
      { paths: merged(parts(), 'paths'), definitions: merged(parts(), 'definitions') },
      foreign,
      scheme.vocabulary.extension('group-version-kind'),
    );
  const versions = groupVersionsOf(scheme);
  return {
    v2: () => ({
      swagger: '2.0',
      info,
      paths: Object.fromEntries(merged(parts(), 'paths').map(({ name, value }) => [name, value])),
      definitions: Object.fromEntries(merged(parts(), 'definitions').map(({ name, value }) => [name, value])),
    }),
    v2Json: (foreign = []) => {
      const { paths, definitions } = whole(foreign);
      const members = (pieces: SwaggerPieces['paths']): string => pieces.map((piece) => piece.json()).join();
      const head = `{"swagger":"2.0","info":${JSON.stringify(info)}`;
      return Buffer.from(`${head},"paths":{${members(paths)}},"definitions":{${members(definitions)}}}`);
    },
    v2Protobuf: (foreign = []) => {
      const { paths, definitions } = whole(foreign);
      const encoded = (pieces: SwaggerPieces['paths']): Buffer[] => pieces.map((piece) => piece.protobuf());
      return joinSwagger(info, encoded(paths), encoded(definitions));
    },
    v3Paths: () => [...versions().keys()].sort(),
    v3: (path) => versionThree(scheme, version, versions().get(path) ?? []),
    v3Kinds: (path) => versions().get(path) ?? [],
  };
}

const titleOf = (vocabulary: Vocabulary): string =>
  vocabulary.product.charAt(0).toUpperCase() + vocabulary.product.slice(1);

/** The kinds by group version, counted anew when they have changed. */
function groupVersionsOf(scheme: Scheme): () => ReadonlyMap<string, readonly AnyKind[]> {
  let counted: readonly AnyKind[] | undefined;
  let byPath = new Map<string, AnyKind[]>();
  return () => {
    if (counted === scheme.kinds) return byPath;
    counted = scheme.kinds;
    byPath = new Map();
    for (const kind of counted) {
      const path = kind.group === '' ? `api/${kind.version}` : `apis/${scheme.apiVersionOf(kind)}`;
      const known = byPath.get(path);
      if (known === undefined) byPath.set(path, [kind]);
      else known.push(kind);
    }
    return byPath;
  };
}

function describe(scheme: Scheme, kinds: readonly AnyKind[]): Description {
  const paths = byPathAndMethod(operationsOf(scheme, kinds), (operation) =>
    swaggerOperation(scheme.vocabulary, operation),
  );
  const definitions = definitionsOf(scheme, kinds, VERSION_2);
  return {
    paths: Object.entries(paths).map(([name, value]) => pieceOf(name, value, encodePath)),
    definitions: Object.entries(definitions).map(([name, value]) => pieceOf(name, value, encodeDefinition)),
  };
}

function describedOnce(known: WeakMap<AnyKind, Description>, scheme: Scheme, kind: AnyKind): Description {
  const description = known.get(kind) ?? describe(scheme, [kind]);
  known.set(kind, description);
  return description;
}

const merged = <K extends keyof Description>(
  parts: readonly Description[],
  which: K,
): Description[K][number][] =>
  sortedOnce(parts.flatMap((part): Description[K][number][] => [...part[which]]));

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
    consumes: operation.consumes,
    produces: answeredMedia(operation),
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
          {
            description: DESCRIPTIONS[code] ?? '',
            schema: name === '' ? { type: 'string' } : reference(name),
          },
        ]),
      ),
      '401': { description: 'Unauthorized' },
    },
    ...extensionsOf(vocabulary, operation),
  };
}

const STREAMED = new Set(['list', 'watch', 'watchlist']);

const answeredMedia = ({ action, responses }: Operation): readonly string[] => {
  if (responses['200'] === '') return ANY_MEDIA;
  return STREAMED.has(action) ? [...MEDIA, 'application/json;stream=watch'] : MEDIA;
};

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
    schema:
      name === '' ? { type: 'string' } : { $ref: `${VERSION_3.refPrefix}${vocabulary.definition(name)}` },
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
  const answers = answeredMedia(operation);
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
            content: content(operation.consumes, operation.body),
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

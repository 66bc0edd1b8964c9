import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type Dialect, VERSION_2, VERSION_3 } from './dialect.ts';
import type { Method, Operation, Parameter } from './operation.ts';
import type { SwaggerOperation, SwaggerParameter, SwaggerPath } from './protobuf.ts';
import type {
  Content,
  VersionThreeOperation,
  VersionThreeParameter,
  VersionThreePath,
} from './version-three.ts';

/** Returns the paths of a version 2 document, sorted. */
export const swaggerPaths = (
  vocabulary: Vocabulary,
  operations: readonly Operation[],
): Record<string, SwaggerPath> =>
  written(operations, swaggerParameter, (operation, own) => swaggerOperation(vocabulary, operation, own));

/** Returns the paths of a version 3 document, sorted. */
export const versionThreePaths = (
  vocabulary: Vocabulary,
  operations: readonly Operation[],
): Record<string, VersionThreePath> =>
  written(operations, versionThreeParameter, (operation, own) =>
    versionThreeOperation(vocabulary, operation, own),
  );

type PathItem<P, T> = { readonly [method in Method]?: T } & { readonly parameters?: readonly P[] };

/**
 * Returns the paths with their operations. A parameter that all operations of a path share is written once,
 * at the path.
 */
function written<P, T>(
  operations: readonly Operation[],
  parameter: (each: Parameter) => P,
  write: (operation: Operation, own: readonly P[]) => T,
): Record<string, PathItem<P, T>> {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) {
    const known = byPath.get(operation.path);
    if (known === undefined) byPath.set(operation.path, [operation]);
    else known.push(operation);
  }
  const items = [...byPath]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, of]) => {
      const takes = ({ parameters }: Operation, { name, in: place }: Parameter): boolean =>
        parameters.some((each) => each.name === name && each.in === place);
      const shared = (each: Parameter): boolean => of.every((operation) => takes(operation, each));
      const common = (of[0]?.parameters ?? []).filter(shared).sort(byName).map(parameter);
      const methods = of.map((operation) => {
        const own = operation.parameters.filter((each) => !shared(each)).sort(byName);
        return [operation.method, write(operation, own.map(parameter))];
      });
      return [path, { ...Object.fromEntries(methods), ...listed('parameters', common) }];
    });
  return Object.fromEntries(items) as Record<string, PathItem<P, T>>;
}

const byName = (a: Parameter, b: Parameter): number =>
  a.name === b.name ? (a.in < b.in ? -1 : 1) : a.name < b.name ? -1 : 1;

/** Returns an object with the list as its member `name`, or an empty object if the list is empty. */
const listed = <N extends string, T>(name: N, values: readonly T[]): { [K in N]?: readonly T[] } =>
  (values.length === 0 ? {} : { [name]: values }) as { [K in N]?: readonly T[] };

const swaggerParameter = ({ in: place, name, type, description }: Parameter): SwaggerParameter => ({
  name,
  in: place,
  description,
  type,
  uniqueItems: true,
  ...(place === 'path' ? { required: true } : {}),
});

const versionThreeParameter = ({ in: place, name, type, description }: Parameter): VersionThreeParameter => ({
  name,
  in: place,
  description,
  ...(place === 'path' ? { required: true } : {}),
  schema: { type, uniqueItems: true },
});

function swaggerOperation(
  vocabulary: Vocabulary,
  operation: Operation,
  own: readonly SwaggerParameter[],
): SwaggerOperation {
  const { body } = operation;
  const parameters: SwaggerParameter[] =
    body === undefined
      ? [...own]
      : [
          {
            name: 'body',
            in: 'body',
            ...(operation.method === 'delete' ? {} : { required: true }),
            schema: schemaOf(vocabulary, body, VERSION_2),
          },
          ...own,
        ];
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.operationId,
    ...listed('consumes', operation.consumes),
    produces: operation.produces,
    schemes: ['https'],
    ...listed('parameters', parameters),
    responses: responsesOf(operation, (name) => ({ schema: schemaOf(vocabulary, name, VERSION_2) })),
    ...extensionsOf(vocabulary, operation),
  };
}

function versionThreeOperation(
  vocabulary: Vocabulary,
  operation: Operation,
  own: readonly VersionThreeParameter[],
): VersionThreeOperation {
  const content = (media: readonly string[], name: string): Content =>
    Object.fromEntries(media.map((type) => [type, { schema: schemaOf(vocabulary, name, VERSION_3) }]));
  const { body } = operation;
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.operationId,
    ...listed('parameters', own),
    ...(body === undefined ? {} : { requestBody: { content: content(operation.consumes, body) } }),
    responses: responsesOf(operation, (name) => ({ content: content(operation.produces, name) })),
    ...extensionsOf(vocabulary, operation),
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = { '200': 'OK', '201': 'Created', '202': 'Accepted' };

const responsesOf = <T extends object>(
  { responses }: Operation,
  answer: (name: string) => T,
): Record<string, { readonly description: string } & Partial<T>> => ({
  ...Object.fromEntries(
    Object.entries(responses).map(([code, name]) => [
      code,
      { description: DESCRIPTIONS[code] ?? '', ...answer(name) },
    ]),
  ),
  '401': { description: 'Unauthorized' } as { readonly description: string } & Partial<T>,
});

const schemaOf = (vocabulary: Vocabulary, name: string, { refPrefix }: Dialect) =>
  name === '' ? { type: 'string' } : { $ref: `${refPrefix}${vocabulary.definition(name)}` };

const extensionsOf = (vocabulary: Vocabulary, { subject }: Operation): Record<`x-${string}`, unknown> =>
  subject === undefined
    ? {}
    : {
        [vocabulary.extension('action')]: subject.action,
        [vocabulary.extension('group-version-kind')]: subject.gvk,
      };

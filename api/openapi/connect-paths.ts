import type { Connection, Verb } from '../kinds/kind.ts';
import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import { type Field, resolve, type StructSchema } from '../schema/schema.ts';
import { groupVersionKind } from './definitions.ts';
import { createDescriber } from './descriptions/descriptions.ts';
import { NAMESPACE, type Operation, type Parameter, capital, parameter, placeOf } from './operation.ts';

const METHODS: Partial<Record<Verb, Operation['method']>> = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

/** What can be connected to at an object of the kind: exec, log, proxy. */
export function connectOperations(scheme: Scheme, kind: AnyKind, item: string): Operation[] {
  return Object.entries(kind.connections ?? {}).flatMap(([name, connection]) => {
    const at = `${item}/${name}`;
    const write = writer(scheme, kind, name, connection);
    const own = connection.verbs.flatMap((verb) => write(verb, at, ''));
    return 'path' in connection.schema.fields
      ? [...own, ...connection.verbs.flatMap((verb) => write(verb, `${at}/{path}`, 'WithPath'))]
      : own;
  });
}

function writer(scheme: Scheme, kind: AnyKind, name: string, connection: Connection) {
  const { tag, place } = placeOf(kind);
  const target = `${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${capital(name)}`;
  const inPath = [
    parameter('name', 'string', `name of the ${connection.kind}`),
    ...(kind.namespaced ? [NAMESPACE] : []),
  ];
  const inQuery = queryParameters(connection.schema);
  return (verb: Verb, path: string, suffix: string): Operation[] => {
    const method = METHODS[verb];
    if (method === undefined) return [];
    const word = connection.reads ? `read${place}` : `connect${place}${capital(method)}`;
    return [
      {
        path,
        method,
        operationId: `${word}${target}${suffix}`,
        tag,
        description: `${connection.reads ? 'read' : `connect ${method.toUpperCase()} requests to`} ${name} of ${kind.kind}`,
        action: connection.reads ? method : 'connect',
        gvk: groupVersionKind(scheme, { ...kind, kind: connection.reads ? kind.kind : connection.kind }),
        pathParameters:
          suffix === '' ? inPath : [...inPath, parameter('path', 'string', 'path to the resource')],
        queryParameters: inQuery,
        body: undefined,
        consumes: ['*/*'],
        responses: { '200': '' },
      },
    ];
  };
}

/** The options of a connection stand in its query. */
function queryParameters(schema: StructSchema): Parameter[] {
  const describer = createDescriber();
  return Object.entries<Field>(schema.fields)
    .filter(([name]) => name !== 'kind' && name !== 'apiVersion')
    .map(([name, field]) => parameter(name, typeOf(field), describer.field(schema, name) ?? ''));
}

function typeOf(field: Field): Parameter['type'] {
  const shape = resolve(field.schema);
  const format = shape.kind === 'scalar' ? shape.format : 'string';
  if (format === 'boolean') return 'boolean';
  return format.startsWith('int') ? 'integer' : 'string';
}

import type { Connection, Verb } from '../kinds/kind.ts';
import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import {
  type ArraySchema,
  type Field,
  resolve,
  type ScalarFormat,
  type StructSchema,
} from '../schema/schema.ts';
import { groupVersionKind } from './definitions.ts';
import { createDescriber } from './descriptions/descriptions.ts';
import {
  type Method,
  NAMESPACE,
  type Operation,
  PRETTY,
  type Parameter,
  mediaTypesOf,
  parameter,
  pathParameter,
  placeOf,
} from './operation.ts';
import { capital } from './words.ts';

const METHODS: Partial<Record<Verb, Method>> = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};
const ANY_MEDIA = ['*/*'];

/** Returns the operations of the kind's connections, such as exec, log and proxy. */
export function connectOperations(scheme: Scheme, kind: AnyKind, item: string): Operation[] {
  return Object.entries(kind.connections ?? {}).flatMap(([name, connection]) => {
    const at = `${item}/${name}`;
    const write = writer(scheme, kind, name, connection);
    const methods = methodsOf(connection);
    const own = methods.map((method) => write(method, at, ''));
    return 'path' in connection.schema.fields
      ? [...own, ...methods.map((method) => write(method, `${at}/{path}`, 'WithPath'))]
      : own;
  });
}

/**
 * Returns the HTTP methods of a connection. A proxy forwards every method, including methods without a verb.
 */
function methodsOf({ verbs }: Connection): Method[] {
  const methods = verbs.flatMap((verb) => METHODS[verb] ?? []);
  return methods.includes('delete') ? [...methods, 'head', 'options'] : methods;
}

function writer(scheme: Scheme, kind: AnyKind, name: string, connection: Connection) {
  const { tag, place } = placeOf(kind);
  const { reads } = connection;
  const target = `${kind.namespaced ? 'Namespaced' : ''}${kind.kind}${capital(name)}`;
  const parameters = [
    pathParameter('name', `name of the ${connection.kind}`),
    ...(kind.namespaced ? [NAMESPACE] : []),
    ...queryParameters(connection.schema),
    ...(reads ? [PRETTY] : []),
  ];
  return (method: Method, path: string, suffix: string): Operation => {
    const word = reads ? `read${place}` : `connect${place}${capital(method)}`;
    return {
      path,
      method,
      operationId: `${word}${target}${suffix}`,
      tag,
      description: `${reads ? 'read' : `connect ${method.toUpperCase()} requests to`} ${name} of ${kind.kind}`,
      subject: {
        action: reads ? method : 'connect',
        gvk: groupVersionKind(scheme, { ...kind, kind: reads ? kind.kind : connection.kind }),
      },
      parameters: suffix === '' ? parameters : [...parameters, pathParameter('path', 'path to the resource')],
      body: undefined,
      consumes: ANY_MEDIA,
      produces: reads ? ['text/plain', ...mediaTypesOf(scheme.vocabulary.protobufMediaType)] : ANY_MEDIA,
      responses: { '200': '' },
    };
  };
}

/** Returns the options of a connection as query parameters. */
function queryParameters(schema: StructSchema): Parameter[] {
  const describer = createDescriber();
  return Object.entries<Field>(schema.fields)
    .filter(([name, field]) => name !== 'kind' && name !== 'apiVersion' && formatOf(field) !== 'time')
    .map(([name, field]) => parameter(name, typeOf(field), describer.field(schema, name) ?? ''));
}

/** Returns the scalar format of a parameter or, if the parameter can be repeated, of its items. */
function formatOf(field: Field): ScalarFormat {
  const shape = resolve(field.schema);
  const of = shape.kind === 'array' ? resolve((shape as ArraySchema).items) : shape;
  return of.kind === 'scalar' ? of.format : 'string';
}

function typeOf(field: Field): Parameter['type'] {
  const format = formatOf(field);
  if (format === 'boolean') return 'boolean';
  return format.startsWith('int') ? 'integer' : 'string';
}

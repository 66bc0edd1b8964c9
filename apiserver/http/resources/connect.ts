import type { AnyKind, ApiObject, Connection } from '../../../api/kinds/index.ts';
import { DecodeError, decode, resolve, setOwn } from '../../../api/schema/index.ts';
import { badRequest } from '../../../api/status/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import { type AdmissionSubject, type Admitted, admit, mutate } from '../../registry/write/admission.ts';
import type { RequestContext } from '../../request.ts';
import { isTrue } from '../request/request-info.ts';

/**
 * Function that opens a connection to a pod, node or service. `options` is an object of the connection's
 * kind. Rejects with `ApiError` if the pod, node or service does not exist.
 */
export type Connector = (context: RequestContext, kind: AnyKind, options: ApiObject) => Promise<HttpResponse>;

/** Dependencies of `openConnection`. */
export interface ConnectOptions extends Omit<Admitted, 'kind'> {
  readonly connect: Connector;
}

/**
 * Handles exec, attach, portforward, proxy and log. All except log run the admission plugins for CONNECT
 * before the connection is opened.
 */
export async function openConnection(
  context: RequestContext,
  kind: AnyKind,
  connection: Connection,
  { connect, ...admitted }: ConnectOptions,
): Promise<HttpResponse> {
  const { namespace, name, subresource } = context.info;
  const { version } = kind;
  const { scheme } = admitted;
  const object = optionsOf(
    context,
    connection,
    kind.namespaced,
    scheme.vocabulary.apiVersion(kind.group, version),
  );
  if (connection.reads) return connect(context, kind, object);
  const target: Admitted = { ...admitted, kind: kind as unknown as Admitted['kind'] };
  const subject: AdmissionSubject = {
    operation: 'CONNECT',
    namespace: kind.namespaced ? namespace : '',
    name,
    subresource,
    object,
    previous: undefined,
    requestKind: { group: scheme.vocabulary.group(kind.group), version, kind: connection.kind },
  };
  const by = {
    user: context.user,
    dryRun: false,
    signal: context.http.signal,
    annotate: context.audit.annotate.bind(context.audit),
    waited: (ms: number): void => void (context.waitedMs = (context.waitedMs ?? 0) + ms),
    warn: (text: string): void => {
      if (!context.warnings.includes(text)) context.warnings.push(text);
    },
  };
  await mutate(target, subject, by);
  await admit(target, subject, by);
  return connect(context, kind, object);
}

/**
 * Decodes the options of a connection from the query and from the path after `proxy`. Throws a 400 for an
 * invalid value.
 */
function optionsOf(
  { info }: RequestContext,
  { kind, schema }: Connection,
  namespaced: boolean,
  apiVersion: string,
): ApiObject {
  const fields: Record<string, unknown> = { kind, apiVersion };
  for (const [name, field] of Object.entries(schema.fields)) {
    const values = name === 'path' ? [restOf(info.path, namespaced)] : info.query.getAll(name);
    if (name === 'kind' || name === 'apiVersion' || values.length === 0) continue;
    setOwn(fields, name, valueOf(values, resolve(field.schema)));
  }
  try {
    return decode<ApiObject>(schema, fields).value;
  } catch (thrown) {
    throw thrown instanceof DecodeError ? badRequest(thrown.message) : thrown;
  }
}

type Shape = ReturnType<typeof resolve>;

function valueOf(values: readonly string[], shape: Shape): unknown {
  const [first = ''] = values;
  if (shape.kind === 'array')
    return isScalar(resolve(shape.items), 'int32') ? values.flatMap(numbersOf) : values;
  if (isScalar(shape, 'int64')) return numberOf(first);
  return isScalar(shape, 'boolean') ? isTrue(first) : first;
}

const isScalar = (shape: Shape, format: string): boolean =>
  shape.kind === 'scalar' && shape.format === format;

/** Parses a list such as `80,443`. */
const numbersOf = (text: string): number[] => text.split(',').map(numberOf);

function numberOf(text: string): number {
  const value = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return value;
}

/**
 * Returns the path after `/api/v1/namespaces/…/…/…/proxy` or `/api/v1/…/…/proxy`, or '' if nothing follows.
 */
export const restOf = (path: string, namespaced: boolean): string =>
  path
    .split('/')
    .slice(namespaced ? 8 : 6)
    .map((segment) => `/${segment}`)
    .join('');

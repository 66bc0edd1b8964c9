import {
  type ApiError,
  badRequest,
  goQuote,
  methodNotAllowed,
  methodNotSupported,
  unknownPath,
} from '../../../api/status/index.ts';
import { isPathSegment } from '../../../api/validation/index.ts';
import type { AnyKind, Connection } from '../../../api/kinds/index.ts';
import type { RequestContext, RequestInfo } from '../../request.ts';

/**
 * Checks that the path matches the scope of the kind and the verb
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris). Throws a 400, 404 or 405
 * otherwise.
 */
export function checkPath(kind: AnyKind, { info }: RequestContext): void {
  const { namespace, subresource, verb, name } = info;
  // Upstream parses paths with `/proxy/` for authorization, but no longer serves them.
  if (verb === 'proxy') throw unknownPath();
  if (subresource !== '' && subresource !== 'proxy' && !endsWith(info.path, `/${name}/${subresource}`))
    throw unknownPath();
  if (!kind.namespaced && namespace !== '' && !isNamespacePath(info)) throw unknownPath();
  const reads = verb === 'list' || verb === 'watch';
  const listed = kind.verbs.includes('list');
  // Only lists and watches span all namespaces.
  if (kind.namespaced && namespace === '' && !(reads && listed))
    throw name === '' && listed ? methodNotAllowed() : unknownPath();
  // A kind that can only be created, such as a TokenReview, has no item paths.
  if (name !== '' && subresource === '' && !reads && !kind.verbs.some(isOfItem)) throw unknownPath();
  if (isOfItem(verb) && name === '')
    throw kind.schema.root ? badRequest('name must be provided') : methodNotAllowed();
  // A name with a slash is not rejected here: no such object exists, so the response is 404.
  const wrong = isOfItem(verb) && !name.includes('/') ? isPathSegment(name) : [];
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`);
  if (verb === 'create' && name !== '' && subresource === '' && !kind.schema.root) throw methodNotAllowed();
}

/**
 * Returns the error for a method that no route accepts: 404 for an unknown subresource of a built-in kind,
 * 405 otherwise.
 */
export const unrouted = (kind: AnyKind, info: RequestInfo): ApiError =>
  kind.schema.root || info.subresource === '' || Object.hasOwn(kind.subresources, info.subresource)
    ? rejectedMethod(kind, info)
    : unknownPath();

/**
 * Returns the 405 for a method. For a custom resource the message names the verb: upstream serves custom
 * resources with one handler that checks the verb.
 */
export const rejectedMethod = (kind: AnyKind, { group, resource, verb }: RequestInfo): ApiError =>
  kind.schema.root ? methodNotSupported({ group, resource }, verb) : methodNotAllowed();

/**
 * True for a request to a namespaced custom resource at a path without namespace, unless it is a list or
 * watch. Upstream's handler does not handle such a request, and the response is the one for an unknown path.
 */
export const lacksNamespace = (kind: AnyKind, { namespace, verb }: RequestInfo): boolean =>
  kind.schema.root !== undefined &&
  kind.namespaced &&
  namespace === '' &&
  verb !== '' &&
  verb !== 'list' &&
  verb !== 'watch';

/** Returns the connection that a subresource opens, or undefined for any other subresource. */
export function connectionOf({ connections = {} }: AnyKind, subresource: string): Connection | undefined {
  return Object.hasOwn(connections, subresource) ? connections[subresource] : undefined;
}

const ITEM_VERBS = new Set(['get', 'update', 'patch', 'delete']);

const isOfItem = (verb: string): boolean => ITEM_VERBS.has(verb);

/**
 * True for the path of a namespace itself, which contains `namespaces` once. No namespace contains another
 * one: with a longer path, rights in one namespace would give access to another.
 */
const isNamespacePath = ({ resource, namespace, name, path }: RequestInfo): boolean =>
  resource === 'namespaces' && namespace === name && `${path}/`.split('/namespaces/').length === 2;

const endsWith = (path: string, end: string): boolean => path.endsWith(end) || path.endsWith(`${end}/`);

/**
 * Returns the namespace of an object, or '' for a cluster-scoped kind. The path of a Namespace object has the
 * object's own name as its namespace.
 */
export const namespaceOf = (kind: AnyKind, { info }: RequestContext): string =>
  kind.namespaced ? info.namespace : '';

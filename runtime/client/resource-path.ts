import type { ApiObject, Kind, Scheme } from '../../api/kinds/index.ts';
import { ClientError } from './client-error.ts';

const argument = (message: string): ClientError => new ClientError('ERR_ARGUMENT', message);

/**
 * Encodes one path segment. Throws for an empty value, which would address the collection instead of an
 * object.
 */
function segment(value: string, what: string): string {
  if (value === '') throw argument(`${what} may not be empty`);
  if (value === '.' || value === '..' || /[/%]/.test(value))
    throw argument(`${what} may not be '.' or '..' nor contain '/' or '%', got ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
}

/**
 * Paths of one kind, in one namespace or across all namespaces; see
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris.
 */
export interface ResourcePaths {
  readonly collection: string;
  object(name: string, subresource?: string): string;
}

/** Creates the paths of a kind. Throws `ERR_ARGUMENT` for an invalid namespace. */
export function resourcePaths<T extends ApiObject>(
  scheme: Scheme,
  kind: Kind<T>,
  namespace: string | undefined,
): ResourcePaths {
  const apiVersion = scheme.apiVersionOf(kind);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace, 'namespace')}`;
  const collection = `${root}${scope}/${kind.plural}`;
  return {
    collection,
    object: (name, subresource) =>
      `${collection}/${segment(name, `name of ${kind.plural}`)}` +
      (subresource === undefined ? '' : `/${segment(subresource, 'subresource')}`),
  };
}

/** Appends a query to a path, without the parameters that are undefined. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  let text = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value === undefined) continue;
    text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return path + text;
}

import { isObject } from '../../api/schema/index.ts';

/** Placeholder written in place of a credential. */
const REDACTED = '**REDACTED**';

/**
 * Returns an object, list or table without managed fields. They are removed from the object itself, from the
 * items of a list, and from the rows of a table.
 */
export function withoutManagedFields(object: unknown): unknown {
  if (!isObject(object)) return object;
  const { items, rows } = object;
  return {
    ...unmanaged(object),
    ...(Array.isArray(items) && { items: items.map(unmanaged) }),
    ...(Array.isArray(rows) && { rows: rows.map(unmanagedRow) }),
  };
}

function unmanaged<T>(object: T): T {
  if (!isObject(object)) return object;
  const { metadata } = object;
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _managedFields, ...rest } = metadata;
  return { ...object, metadata: rest };
}

const unmanagedRow = (row: unknown): unknown =>
  isObject(row) && Object.hasOwn(row, 'object') ? { ...row, object: unmanaged(row['object']) } : row;

/** Names of query parameters with tokens: `token`, `access_token`, `id_token`. */
const TOKEN_PARAMETER = /^(?:\w+[_-])?token$/i;

/** Returns a request URI without the tokens that some clients put in the query. */
export function withoutToken(url: string): string {
  const mark = url.indexOf('?');
  if (mark < 0 || !/token|%/i.test(url.slice(mark))) return url;
  const parameters = url
    .slice(mark + 1)
    .split('&')
    .map((parameter) => {
      const [name = ''] = parameter.split('=', 1);
      return isTokenParameter(name) ? `${name}=${REDACTED}` : parameter;
    });
  return `${url.slice(0, mark)}?${parameters.join('&')}`;
}

function isTokenParameter(name: string): boolean {
  try {
    return TOKEN_PARAMETER.test(decodeURIComponent(name));
  } catch {
    return false;
  }
}

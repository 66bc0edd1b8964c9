import { getOwn, isObject } from '../../api/schema/own.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';

/** Stands where a credential stood. */
const REDACTED = '**REDACTED**';

/** Objects that carry bearer tokens of this server or for it, and where. */
const TOKENS: ReadonlyMap<string, readonly [part: string, field: string]> = new Map([
  ['TokenReview', ['spec', 'token']],
  ['TokenRequest', ['status', 'token']],
]);

/**
 * A token review or a token request without its token; anything else as it is. What else objects hold, Secrets too, is the
 * policy's to leave out: it gives their resources the level `Metadata`.
 */
export function withoutCredentials(object: unknown, vocabulary: Vocabulary): unknown {
  if (!isObject(object)) return object;
  const place = TOKENS.get(String(getOwn(object, 'kind')));
  const apiVersion = getOwn(object, 'apiVersion');
  const group = `${vocabulary.group('authentication')}/`;
  if (place === undefined || typeof apiVersion !== 'string' || !apiVersion.startsWith(group)) return object;
  const [part, field] = place;
  const held = getOwn(object, part);
  if (!isObject(held) || !getOwn(held, field)) return object;
  return { ...object, [part]: { ...held, [field]: REDACTED } };
}

/** An object, a list or a table without the managed fields of what is in it. */
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

/** Parameters whose values are tokens: `token`, `access_token`, `id_token`, their letters escaped or not. */
const TOKEN_PARAMETER = /^(?:\w+[_-])?token$/i;

/** A request line without tokens that some clients put into its query. */
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

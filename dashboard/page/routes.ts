import { useEffect, useState } from 'preact/hooks';

/** The view that an address names. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'failing' }
  | { readonly view: 'controller'; readonly name: string }
  | { readonly view: 'key'; readonly name: string; readonly key: string }
  | { readonly view: 'explorer'; readonly resource?: string; readonly object?: string }
  | { readonly view: 'lifecycles'; readonly id?: string; readonly state?: string };

const part = (text: string): string => encodeURIComponent(text);

/** Address of the keys whose last reconcile failed. */
export const TO_FAILING = '#/failing';
/** Returns the address of a controller's view. */
export const toController = (name: string): string => `#/controllers/${part(name)}`;
/** Returns the address of a key's view. */
export const toKey = (name: string, key: string): string => `${toController(name)}/keys/${part(key)}`;
/**
 * Returns the address of a resource or object in the explorer. `resource` has the form
 * `group/version/plural`, such as `/v1/pods` for the core group. `object` has the form `namespace/name` or
 * `name`.
 */
export const toResource = (resource: string, object?: string): string =>
  `#/explorer/${part(resource)}${object === undefined ? '' : `/${part(object)}`}`;

/** Returns the address of a lifecycle, with the objects in one of its states if one is given. */
export const toLifecycle = (id: string, state?: string): string =>
  `#/lifecycles/${part(id)}${state === undefined ? '' : `/${part(state)}`}`;

/**
 * Decodes a part of an address. A part that cannot be decoded, for example because the address is truncated,
 * is returned unchanged.
 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses the fragment of an address. For an unknown fragment, returns the overview. */
export function routeOf(hash: string): Route {
  const [view = '', first, second, third] = hash
    .replace(/^#?\/?/, '')
    .replace(/\?.*$/, '')
    .split('/')
    .map(decoded);
  if (view === 'controllers' && first !== undefined)
    return second === 'keys' && third !== undefined
      ? { view: 'key', name: first, key: third }
      : { view: 'controller', name: first };
  if (view === 'failing') return { view };
  if (view === 'explorer')
    return {
      view,
      ...(first === undefined || first === '' ? {} : { resource: first }),
      ...(second === undefined ? {} : { object: second }),
    };
  if (view === 'lifecycles')
    return {
      view,
      ...(first === undefined || first === '' ? {} : { id: first }),
      ...(second === undefined ? {} : { state: second }),
    };
  return { view: 'overview' };
}

/** Returns the route of the page's address and redraws the view when the address changes. */
export function useRoute(): Route {
  const [hash, change] = useState(location.hash);
  useEffect(() => {
    const moved = (): void => change(location.hash);
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return routeOf(hash);
}

import { useEffect, useState } from 'preact/hooks';

/** A view of the page by its address. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'controller'; readonly name: string }
  | { readonly view: 'key'; readonly name: string; readonly key: string }
  | { readonly view: 'explorer'; readonly resource?: string; readonly object?: string };

const part = (text: string): string => encodeURIComponent(text);

export const toController = (name: string): string => `#/controllers/${part(name)}`;
export const toKey = (name: string, key: string): string => `${toController(name)}/keys/${part(key)}`;
/** `resource` is `group/version/plural`, of the core group `/v1/pods`; `object` is `namespace/name` or `name`. */
export const toResource = (resource: string, object?: string): string =>
  `#/explorer/${part(resource)}${object === undefined ? '' : `/${part(object)}`}`;

/** An address may be typed, or cut short where it was passed on: what is no encoded text stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function routeOf(hash: string): Route {
  const [view = '', first, second, third] = hash
    .replace(/^#?\/?/, '')
    .split('/')
    .map(decoded);
  if (view === 'controllers' && first !== undefined)
    return second === 'keys' && third !== undefined
      ? { view: 'key', name: first, key: third }
      : { view: 'controller', name: first };
  if (view === 'explorer')
    return {
      view,
      ...(first === undefined || first === '' ? {} : { resource: first }),
      ...(second === undefined ? {} : { object: second }),
    };
  return { view: 'overview' };
}

export function useRoute(): Route {
  const [hash, change] = useState(location.hash);
  useEffect(() => {
    const moved = (): void => change(location.hash);
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return routeOf(hash);
}

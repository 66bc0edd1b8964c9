import type { AnyKind } from '../kinds/scheme.ts';
import type { GroupVersionKind } from './definitions.ts';

/** One operation, in terms that both versions of OpenAPI can write. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /** `list`, `get`, `post`, `deletecollection`, `watchlist`, `connect`, …: the value of the action extension. */
  readonly action: string;
  readonly gvk: GroupVersionKind;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  /** The definition of the body, without the vocabulary's prefix; undefined for none. */
  readonly body: string | undefined;
  /** Media types of the body. */
  readonly consumes: readonly string[];
  /** Definitions of answers by status code; `''` for text. */
  readonly responses: Readonly<Record<string, string>>;
}

export interface Parameter {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

export const parameter = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  type,
  description,
});

export const NAMESPACE = parameter('namespace', 'string', 'namespace of the object');

/** Where the names of a kind's operations, and the heading they stand under, have it from. */
export function placeOf({ group, version }: AnyKind): { readonly tag: string; readonly place: string } {
  const name = group === '' ? 'core' : camel(group);
  return { tag: `${name}_${version}`, place: capital(name) + capital(version) };
}

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
/** `rbac.authorization` as `rbacAuthorization`. */
const camel = (group: string): string =>
  group
    .split('.')
    .map((part, at) => (at === 0 ? part : capital(part)))
    .join('');

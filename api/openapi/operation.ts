import type { AnyKind } from '../kinds/scheme.ts';
import type { GroupVersionKind } from './definitions.ts';
import { camel, capital } from './words.ts';

/** One operation, in terms that both versions of OpenAPI can write. */
export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /** Undefined of what is served besides resources. */
  readonly subject: Subject | undefined;
  readonly parameters: readonly Parameter[];
  /** The definition of the body, without the vocabulary's prefix; undefined for none. */
  readonly body: string | undefined;
  /** Media types of the body. */
  readonly consumes: readonly string[];
  /** Media types of the answers. */
  readonly produces: readonly string[];
  /** Definitions of answers by status code; `''` for text. */
  readonly responses: Readonly<Record<string, string>>;
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface Subject {
  /** `list`, `get`, `post`, `deletecollection`, `watchlist`, `connect`, …: the value of the action extension. */
  readonly action: string;
  readonly gvk: GroupVersionKind;
}

export interface Parameter {
  readonly in: 'path' | 'query';
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

export const parameter = (name: string, type: Parameter['type'], description: string): Parameter => ({
  in: 'query',
  name,
  type,
  description,
});

export const pathParameter = (name: string, description: string): Parameter => ({
  in: 'path',
  name,
  type: 'string',
  description,
});

export const NAMESPACE = pathParameter('namespace', 'namespace of the object');
export const PRETTY = parameter('pretty', 'string', '`true` indents the answer.');

/** Where the names of a group version's operations, and the heading they stand under, have it from. */
export function placeOf({ group, version }: Pick<AnyKind, 'group' | 'version'>): {
  readonly tag: string;
  readonly place: string;
} {
  const name = groupName(group);
  return { tag: `${name}_${version}`, place: capital(name) + capital(version) };
}

/** A group, without suffix, in names of operations. */
export const groupName = (group: string): string => (group === '' ? 'core' : camel(group));

/** Media types that objects of the built-in kinds are written in, and those of custom resources. */
export const mediaTypesOf = (protobuf?: string): string[] =>
  ['application/json', 'application/yaml', protobuf].filter((type) => type !== undefined);

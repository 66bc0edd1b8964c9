import type { AnyKind } from '../kinds/scheme.ts';
import type { GroupVersionKind } from './definitions.ts';
import { camel, capital } from './words.ts';

/** One operation, independent of the OpenAPI version. */
export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly tag: string;
  readonly description: string;
  /** Resource and action; undefined for endpoints other than resources. */
  readonly subject: Subject | undefined;
  readonly parameters: readonly Parameter[];
  /**
   * Name of the definition of the body, without the vocabulary's prefix; undefined if the operation has no
   * body.
   */
  readonly body: string | undefined;
  /** Media types of the body. */
  readonly consumes: readonly string[];
  /** Media types of the responses. */
  readonly produces: readonly string[];
  /** Names of the definitions of responses, by status code; `''` for a plain-text response. */
  readonly responses: Readonly<Record<string, string>>;
}

/** HTTP method of an operation, as documents write it. */
export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** Resource and action of an operation. */
export interface Subject {
  /**
   * Value of the action extension: `list`, `get`, `post`, `deletecollection`, `watchlist`, `connect` and so
   * on.
   */
  readonly action: string;
  readonly gvk: GroupVersionKind;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly in: 'path' | 'query';
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

/** Returns a query parameter. */
export const parameter = (name: string, type: Parameter['type'], description: string): Parameter => ({
  in: 'query',
  name,
  type,
  description,
});

/** Returns a path parameter. */
export const pathParameter = (name: string, description: string): Parameter => ({
  in: 'path',
  name,
  type: 'string',
  description,
});

/** Path parameter of namespaced operations. */
export const NAMESPACE = pathParameter('namespace', 'namespace of the object');
/** Query parameter of all operations. */
export const PRETTY = parameter('pretty', 'string', '`true` indents the answer.');

/**
 * Returns the tag of a group version's operations, and the part of the operation names that identifies the
 * group version.
 */
export function placeOf({ group, version }: Pick<AnyKind, 'group' | 'version'>): {
  readonly tag: string;
  readonly place: string;
} {
  const name = groupName(group);
  return { tag: `${name}_${version}`, place: capital(name) + capital(version) };
}

/** Returns the name of a group (without suffix) in the form that operation names contain. */
export const groupName = (group: string): string => (group === '' ? 'core' : camel(group));

/** Returns the media types of objects. Built-in kinds also have a protobuf media type. */
export const mediaTypesOf = (protobuf?: string): string[] =>
  ['application/json', 'application/yaml', protobuf].filter((type) => type !== undefined);

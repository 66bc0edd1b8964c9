import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { Status } from '../../api/status/api-error.ts';
import { type Commit, namedIn } from '../invariants/invariant.ts';

export type Any = DeepReadonly<ApiObject>;

/** An object at a version, in words of requests. */
export interface Unchanged {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** One call of a client as data: plain JSON. */
export interface ApiRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'raw';
  /** As `resourceOf` writes it; '' for a raw request. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly body?: unknown;
  /** How a patch is meant; default `merge`. */
  readonly patchType?: 'strategic';
  /** Of a get: what time it is by the server is part of the answer. */
  readonly dated?: true;
  /** Other objects that must be as they were when it was decided on. */
  readonly while?: readonly Unchanged[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Of a raw request. */
  readonly path?: string;
}

export type ApiAnswer =
  /** An object, a list `{ resourceVersion, items }`, the body of a raw request, or null for a deletion that is done. */
  | { readonly ok: unknown }
  | { readonly refused: Status }
  /** No answer came; the request may have been carried out. */
  | { readonly lost: 'ERR_CONNECTION' | 'ERR_TIMEOUT' };

export const isWrite = ({ verb, resource }: ApiRequest): boolean =>
  verb !== 'get' && verb !== 'list' && verb !== 'raw' && !isReview(resource);

/** Reviews are questions: creating one stores nothing. */
export const isReview = (resource: string): boolean => resource.startsWith('authorization/');

/** What a request names of the object that it was decided on: a deletion by its preconditions, a write by its body. */
export function decidedOn({ verb, preconditions, body }: ApiRequest): NonNullable<Commit['decidedOn']> {
  if (verb === 'delete' || verb === 'deletecollection') return preconditions ?? {};
  return namedIn(body);
}

/** Such as `delete secrets team/a`, with what it is conditional on. */
export function describeRequest(request: ApiRequest): string {
  const { verb, resource, namespace, name, subresource, path } = request;
  if (verb === 'raw') return `get ${path ?? ''}`;
  const plural = resource.slice(resource.indexOf('/') + 1) + (subresource === '' ? '' : `/${subresource}`);
  const where = namespace === '' ? name : name === '' ? namespace : `${namespace}/${name}`;
  const version = decidedOn(request).resourceVersion;
  return `${verb} ${plural} ${where}${version === undefined ? '' : ` at ${version}`}`;
}

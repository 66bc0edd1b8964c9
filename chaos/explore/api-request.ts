import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { Status } from '../../api/status/index.ts';
import { type Commit, namedIn } from '../invariants/invariant.ts';

export type Any = DeepReadonly<ApiObject>;

/** Condition of a write on another object: the object's identity and, optionally, its exact version. */
export interface Unchanged {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Required `spec.holderIdentity` of a Lease. */
  readonly holder?: string;
  /** Required `spec.leaseTransitions` of a Lease. */
  readonly transitions?: number;
}

/** One call of a client as plain JSON. */
export interface ApiRequest {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'raw';
  /** Resource in the format of `resourceOf`; '' for a raw request. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Subresource; '' for the object itself. */
  readonly subresource: string;
  readonly body?: unknown;
  /** Patch type; default `merge`. */
  readonly patchType?: 'strategic' | 'json' | 'apply';
  /** Set on a write that is answered but not carried out. */
  readonly dryRun?: true;
  /** Set on a get whose answer includes the server's time. */
  readonly dated?: true;
  /** Other objects that must be unchanged, or else the write fails. */
  readonly while?: readonly Unchanged[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  /** Set on a list of metadata without the rest of the objects. */
  readonly metadataOnly?: true;
  /** Set on a list at one past version. */
  readonly exact?: true;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Path of a raw request. */
  readonly path?: string;
}

export type ApiAnswer =
  /**
   * An object, a list `{ resourceVersion, items }`, the body of a raw request, or null after a completed
   * deletion.
   */
  | { readonly ok: unknown }
  | { readonly refused: Status }
  /** No response arrived. The server may have executed the request. */
  | { readonly lost: 'ERR_CONNECTION' | 'ERR_TIMEOUT' };

export const isWrite = ({ verb, resource }: ApiRequest): boolean =>
  verb !== 'get' && verb !== 'list' && verb !== 'raw' && !isReview(resource);

/** True if the resource is a review. Creating a review stores no object, so it does not count as a write. */
export const isReview = (resource: string): boolean => resource.startsWith('authorization/');

/**
 * Returns the version on which a request was based: the preconditions of a deletion, or the identity in the
 * body of a write.
 */
export function decidedOn({ verb, preconditions, body }: ApiRequest): NonNullable<Commit['decidedOn']> {
  if (verb === 'delete' || verb === 'deletecollection') return preconditions ?? {};
  return namedIn(body);
}

/** Formats a request for traces, such as `delete secrets team/a at secrets.a~1@02`. */
export function describeRequest(request: ApiRequest): string {
  const { verb, resource, namespace, name, subresource, path } = request;
  if (verb === 'raw') return `get ${path ?? ''}`;
  const plural = resource.slice(resource.indexOf('/') + 1) + (subresource === '' ? '' : `/${subresource}`);
  const where = namespace === '' ? name : name === '' ? namespace : `${namespace}/${name}`;
  const version = decidedOn(request).resourceVersion;
  return `${verb} ${plural} ${where}${version === undefined ? '' : ` at ${version}`}`;
}

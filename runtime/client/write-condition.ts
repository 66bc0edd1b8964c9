import type { ApiObject, DeepReadonly, Kind } from '../../api/kinds/kind.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { headerOf } from './answer.ts';
import type { Client } from './client.ts';
import { resourcePaths, withQuery } from './resource-path.ts';

/**
 * What must hold of another object for a write to be carried out, all of it in one moment with the write; a server that
 * has the feature `ConditionalWrites` refuses with a conflict otherwise. Others take no notice: see `offersWriteConditions`.
 */
export interface WriteCondition {
  readonly kind: AnyKind;
  /** Of a namespaced kind. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Of a Lease: `spec.holderIdentity`. */
  readonly holder?: string;
  /** Of a Lease: `spec.leaseTransitions`. */
  readonly transitions?: number;
}

/** That the object is the one, at the version, that something was decided on: default that of `object`. */
export function unchanged<T extends ApiObject>(
  kind: Kind<T>,
  object: DeepReadonly<T>,
  resourceVersion = object.metadata?.resourceVersion,
): WriteCondition {
  const { namespace, name = '', uid } = object.metadata ?? {};
  return {
    kind: kind as unknown as AnyKind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** A write was refused for the sake of its conditions: what it was decided on is no more. */
export const isConditionFailed = (thrown: unknown): boolean =>
  thrown instanceof ApiError &&
  (thrown.status.details?.causes ?? []).some(({ reason }) => reason === 'WriteConditionFailed');

const headerName = (scheme: Scheme): string => scheme.vocabulary.header('write-while');

/** The header that makes a write conditional. Throws a `ClientError` with ERR_ARGUMENT for a name that is none. */
export function conditionHeaders(
  scheme: Scheme,
  conditions: readonly WriteCondition[],
): Readonly<Record<string, string>> {
  const texts = conditions.map(({ kind, namespace, name, ...facts }) =>
    withQuery(resourcePaths(scheme, kind, namespace).object(name), facts),
  );
  return { [headerName(scheme)]: texts.join(', ') };
}

/** Whether the server checks conditions of writes at all: it says so on the document at `/api`. */
export async function offersWriteConditions(client: Client, signal?: AbortSignal): Promise<boolean> {
  const { headers } = await client.request({ method: 'GET', path: '/api', ...(signal && { signal }) });
  return headerOf(headers, headerName(client.scheme)) !== undefined;
}

import type { AnyKind, ApiObject, DeepReadonly, Kind, Scheme } from '../../api/kinds/index.ts';
import { ApiError } from '../../api/status/index.ts';
import { headerOf } from './response.ts';
import type { Client, WriteCondition } from './client.ts';
import { resourcePaths, withQuery } from './resource-path.ts';

/**
 * Returns the condition that an object still has this uid and version.
 * @param resourceVersion required version; default the version of `object`
 */
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

/** True if a write was rejected because a condition did not hold. */
export const isConditionFailed = (thrown: unknown): boolean =>
  thrown instanceof ApiError &&
  (thrown.status.details?.causes ?? []).some(({ reason }) => reason === 'WriteConditionFailed');

const headerName = (scheme: Scheme): string => scheme.vocabulary.header('write-while');

/** Returns the header of a conditional write. Throws `ERR_ARGUMENT` for an invalid name in a condition. */
export function conditionHeaders(
  scheme: Scheme,
  conditions: readonly WriteCondition[],
): Readonly<Record<string, string>> {
  const values = conditions.map(({ kind, namespace, name, ...facts }) =>
    withQuery(resourcePaths(scheme, kind, namespace).object(name), facts),
  );
  return { [headerName(scheme)]: values.join(', ') };
}

/** True if the server supports conditional writes, which it announces in a header of `/api`. */
export async function supportsWriteConditions(client: Client, signal?: AbortSignal): Promise<boolean> {
  const { headers } = await client.request({ method: 'GET', path: '/api', ...(signal && { signal }) });
  return headerOf(headers, headerName(client.scheme)) !== undefined;
}

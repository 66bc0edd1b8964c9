import type { DeepReadonly } from '../api/kinds/index.ts';
import { ApiError, isNotFound } from '../api/status/index.ts';
import type { Namespace } from '../api/types/core-v1.ts';

/** True if objects may be created in the namespace: it exists and is not being deleted. */
export const isActive = (namespace: DeepReadonly<Namespace> | undefined): boolean =>
  namespace !== undefined &&
  namespace.metadata?.deletionTimestamp === undefined &&
  namespace.status?.phase !== 'Terminating';

/**
 * True if a create was rejected because its namespace is being deleted or does not exist, so that nothing
 * needs to be created.
 */
export const isNamespaceEnding = (thrown: unknown): boolean =>
  isNotFound(thrown) ||
  (thrown instanceof ApiError &&
    (thrown.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating'));

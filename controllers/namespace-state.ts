import type { DeepReadonly } from '../api/kinds/index.ts';
import { ApiError, isNotFound } from '../api/status/index.ts';
import type { Namespace } from '../api/types/core-v1.ts';

/** Objects may be created in it: it exists, and neither phase nor deletion say that it ends. */
export const isActive = (namespace: DeepReadonly<Namespace> | undefined): boolean =>
  namespace !== undefined &&
  namespace.metadata?.deletionTimestamp === undefined &&
  namespace.status?.phase !== 'Terminating';

/** A create was refused because its namespace ends or has ended: nothing can be created, and nothing need be. */
export const isNamespaceEnding = (thrown: unknown): boolean =>
  isNotFound(thrown) ||
  (thrown instanceof ApiError &&
    (thrown.status.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating'));

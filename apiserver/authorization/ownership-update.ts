import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';

type Seen = DeepReadonly<ApiObject>;

/**
 * Returns the object without the fields that the garbage collector writes and those that every write changes.
 */
function withoutOwnership({ metadata, ...others }: Seen): unknown {
  const {
    ownerReferences: _o,
    finalizers: _f,
    managedFields: _m,
    resourceVersion: _r,
    ...kept
  } = metadata ?? {};
  return { ...others, metadata: kept };
}

/** True if an update changes at most owners and finalizers. */
export const keepsAllExceptOwnership = (next: Seen, previous: Seen): boolean =>
  isDeepStrictEqual(withoutOwnership(next), withoutOwnership(previous));

/** True if an update changes owners or finalizers and nothing else, as the garbage collector does. */
export const changesOnlyOwnership = (next: Seen, previous: Seen): boolean =>
  (!isDeepStrictEqual(next.metadata?.ownerReferences, previous.metadata?.ownerReferences) ||
    !isDeepStrictEqual(next.metadata?.finalizers, previous.metadata?.finalizers)) &&
  keepsAllExceptOwnership(next, previous);

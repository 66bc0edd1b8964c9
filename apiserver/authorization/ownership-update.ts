import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';

type Seen = DeepReadonly<ApiObject>;

/**
 * Returns the object without the fields that the garbage collector writes, and without the fields that every
 * write changes.
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

/** True if an update changes nothing except owner references and finalizers. */
export const keepsAllExceptOwnership = (next: Seen, previous: Seen): boolean =>
  isDeepStrictEqual(withoutOwnership(next), withoutOwnership(previous));

/**
 * True if an update changes owner references or finalizers and nothing else, as updates by the garbage
 * collector do.
 */
export const changesOnlyOwnership = (next: Seen, previous: Seen): boolean =>
  (!isDeepStrictEqual(next.metadata?.ownerReferences, previous.metadata?.ownerReferences) ||
    !isDeepStrictEqual(next.metadata?.finalizers, previous.metadata?.finalizers)) &&
  keepsAllExceptOwnership(next, previous);

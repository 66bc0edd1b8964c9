import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';

type Seen = DeepReadonly<ApiObject>;

/** The object but for what the garbage collector writes, and what every write changes. */
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

/** Whether an update leaves everything as it is but owners and finalizers, which it may change. */
export const keepsAllButOwnership = (next: Seen, previous: Seen): boolean =>
  isDeepStrictEqual(withoutOwnership(next), withoutOwnership(previous));

/** An update by which the garbage collector lets an object go: nothing but owners and finalizers changes. */
export const isOnlyLettingGo = (next: Seen, previous: Seen): boolean =>
  (!isDeepStrictEqual(next.metadata?.ownerReferences, previous.metadata?.ownerReferences) ||
    !isDeepStrictEqual(next.metadata?.finalizers, previous.metadata?.finalizers)) &&
  keepsAllButOwnership(next, previous);

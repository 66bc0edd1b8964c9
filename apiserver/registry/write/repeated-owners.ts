import type { ApiObject } from '../../../api/kinds/index.ts';
import type { OwnerReference } from '../../../api/types/meta-v1.ts';
import type { WriteContext } from '../registry.ts';

/**
 * Removes repeated owner references in place, and warns the client with their uids. Called for the request's
 * object, and again after mutating admission (release 1.24, `dedupOwnerReferences`).
 */
export function dropRepeatedOwners(
  { metadata }: ApiObject,
  { warn }: Pick<WriteContext, 'warn'>,
  when: '' | ' after mutating admission happens',
): void {
  const owners = metadata?.ownerReferences ?? [];
  if (metadata === undefined || owners.length < 2) return;
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  // JSON of the references so far. Comparing all pairs of a body full of owners would block the event loop
  // for hours.
  const seen = new Set<string>();
  for (const owner of owners) {
    const text = textOf(owner);
    if (seen.has(text)) repeated.push(owner.uid);
    else kept.push(owner);
    seen.add(text);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

/** Returns a string that is equal for equal references. Absent and null fields are equal. */
const textOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);

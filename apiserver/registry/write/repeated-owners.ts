import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { OwnerReference } from '../../../api/types/meta-v1.ts';
import type { WriteContext } from '../registry.ts';

/**
 * Leaves out owner references that say again what another one says, in place, with a warning that names their uids: what a
 * request brings, then once more what is there after mutating admission (release 1.24, `dedupOwnerReferences`).
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
  // By text: to hold each against each, a body full of owners would keep everybody else waiting for hours.
  const said = new Set<string>();
  for (const owner of owners) {
    const text = textOf(owner);
    if (said.has(text)) repeated.push(owner.uid);
    else kept.push(owner);
    said.add(text);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

/** The same of references that say the same: absent and null are one. */
const textOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);

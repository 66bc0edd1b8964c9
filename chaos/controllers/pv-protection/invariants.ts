import { persistentVolumes } from '../../../api/groups/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Invariant } from '../../invariants/invariant.ts';
import { protectionInvariants } from '../../invariants/protection.ts';

/** Returns the invariants about the finalizer of PersistentVolumes. */
export const pvProtectionInvariants = (vocabulary: Vocabulary): readonly Invariant[] =>
  protectionInvariants({
    controller: 'pv-protection',
    kind: persistentVolumes,
    finalizer: vocabulary.key('', 'pv-protection'),
    usersOf: (volume) =>
      (volume as { readonly status?: { readonly phase?: string } }).status?.phase === 'Bound'
        ? ['its claim']
        : [],
  });

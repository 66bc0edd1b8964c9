import type { AnyKind } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';

/**
 * Creates a plugin that adds finalizers to new claims and volumes. The finalizers prevent deletion while the
 * object is in use; controllers remove them.
 */
export function createStorageObjectInUseProtection(vocabulary: Vocabulary): AdmissionPlugin {
  const finalizers = new Map([
    ['persistentvolumeclaims', vocabulary.key('', 'pvc-protection')],
    ['persistentvolumes', vocabulary.key('', 'pv-protection')],
  ]);
  const finalizerOf = ({ group, plural }: AnyKind): string | undefined =>
    group === '' ? finalizers.get(plural) : undefined;
  return {
    name: 'StorageObjectInUseProtection',
    operations: ['CREATE'],
    concerns: (kind) => finalizerOf(kind) !== undefined,
    async mutate({ kind, object, subresource }) {
      const finalizer = finalizerOf(kind);
      if (finalizer === undefined || object === undefined || subresource !== '') return;
      const existing = object.metadata?.finalizers ?? [];
      if (existing.includes(finalizer)) return;
      object.metadata = { ...object.metadata, finalizers: [...existing, finalizer] };
    },
  };
}

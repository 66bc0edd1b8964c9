import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { StorageClass } from '../../api/types/storage-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { defaultClassName, internalText } from './default-class.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

/**
 * Creates a plugin that sets the default class on new claims without a class. A claim with the class ''
 * explicitly has no class.
 */
export function createDefaultStorageClass(options: {
  readonly storageClasses: ObjectReader<StorageClass>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { storageClasses, vocabulary } = options;
  const isDefault = [
    vocabulary.key('storageclass', 'is-default-class'),
    vocabulary.key('storageclass.beta', 'is-default-class'),
  ];
  /** Annotation that contained the class before the field existed. */
  const classAnnotation = vocabulary.key('volume.beta', 'storage-class');
  return {
    name: 'DefaultStorageClass',
    operations: ['CREATE'],
    concerns: coreKind('persistentvolumeclaims'),
    async mutate(request) {
      const claim = request.object as PersistentVolumeClaim | undefined;
      if (!isCore(request, 'persistentvolumeclaims') || claim === undefined) return;
      if (claim.spec?.storageClassName !== undefined) return;
      if (Object.hasOwn(claim.metadata?.annotations ?? {}, classAnnotation)) return;
      const name = defaultClassName(storageClasses, isDefault, (count) =>
        rejection(request, vocabulary, internalText(`${count} default StorageClasses were found`)),
      );
      if (name !== undefined) claim.spec = { ...claim.spec, storageClassName: name };
    },
  };
}

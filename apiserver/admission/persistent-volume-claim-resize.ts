import type { DeepReadonly } from '../../api/kinds/index.ts';
import { claimLifecycle } from '../../api/lifecycles/index.ts';
import { type Quantity, compareQuantities, parseQuantity } from '../../api/quantity/index.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { StorageClass } from '../../api/types/storage-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

type Claim = DeepReadonly<PersistentVolumeClaim>;

const sizeOf = ({ spec }: Claim): Quantity => parseQuantity(spec?.resources?.requests?.['storage'] ?? '0');

/**
 * Creates a plugin that rejects the growth of claims that are not bound or whose StorageClass does not allow
 * expansion
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#persistentvolumeclaimresize).
 */
export function createPersistentVolumeClaimResize(options: {
  readonly storageClasses: ObjectReader<StorageClass>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { storageClasses, vocabulary } = options;
  const annotation = vocabulary.key('volume.beta', 'storage-class');
  const classOf = ({ metadata, spec }: Claim): string =>
    metadata?.annotations?.[annotation] ?? spec?.storageClassName ?? '';
  const mayGrow = (next: Claim, previous: Claim): boolean => {
    const name = classOf(next);
    return (
      name !== '' && name === classOf(previous) && storageClasses.get('', name)?.allowVolumeExpansion === true
    );
  };
  return {
    name: 'PersistentVolumeClaimResize',
    operations: ['UPDATE'],
    concerns: coreKind('persistentvolumeclaims'),
    async validate(request) {
      const next = request.object as Claim | undefined;
      const previous = request.previous as Claim | undefined;
      if (!isCore(request, 'persistentvolumeclaims') || next === undefined || previous === undefined) return;
      if (compareQuantities(sizeOf(next), sizeOf(previous)) <= 0) return;
      if (claimLifecycle.stateOf(previous) !== 'Bound')
        throw rejection(request, vocabulary, 'Only bound persistent volume claims can be expanded');
      if (!mayGrow(next, previous))
        throw rejection(
          request,
          vocabulary,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
    },
  };
}

import { defineVersion, sameShape } from '../conversion/version.ts';
import type { CSIStorageCapacity as StoredCapacity } from '../types/storage-v1.ts';
import { CSIStorageCapacity } from '../types/storage-v1beta1.ts';
import { csiStorageCapacities } from './storage-v1.ts';

/** Kind `CSIStorageCapacity` of `storage/v1beta1`. */
export const csiStorageCapacitiesV1beta1 = defineVersion<StoredCapacity, StoredCapacity>(
  csiStorageCapacities,
  {
    version: 'v1beta1',
    schema: CSIStorageCapacity,
    conversion: sameShape(),
    deprecated: {
      since: '1.24',
      removedRelease: '1.27',
      replacement: { group: 'storage', version: 'v1', kind: 'CSIStorageCapacity' },
    },
  },
);

import { atVersion } from '../schema/at-version.ts';
import * as stable from './storage-v1.ts';

const types = atVersion('v1beta1', { CSIStorageCapacity: stable.CSIStorageCapacity });

/** Kind CSIStorageCapacity: the free space of a StorageClass in one part of the cluster. */
export const CSIStorageCapacity = types.CSIStorageCapacity;
export type CSIStorageCapacity = stable.CSIStorageCapacity;

import { type Infer, optional, quantity, ref, required, string, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Space that a storage class has left in one part of the cluster. */
export const CSIStorageCapacity = struct('api.storage.v1beta1.CSIStorageCapacity', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  nodeTopology: optional(2, ref<LabelSelector>(LabelSelector)),
  storageClassName: required(3, string),
  capacity: optional(4, quantity),
  maximumVolumeSize: optional(5, quantity),
});
export interface CSIStorageCapacity extends Infer<typeof CSIStorageCapacity> {}

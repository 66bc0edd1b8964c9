import { type Infer, int32, microTime, optional, ref, string, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Holder of a lease, and when it ends. */
export const LeaseSpec = struct('api.coordination.v1.LeaseSpec', {
  holderIdentity: optional(1, string),
  leaseDurationSeconds: optional(2, int32),
  acquireTime: optional(3, microTime),
  renewTime: optional(4, microTime),
  leaseTransitions: optional(5, int32),
});
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

/** A claim to something for a time, such as leadership, that its holder must renew. */
export const Lease = struct('api.coordination.v1.Lease', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<LeaseSpec>(LeaseSpec)),
});
export interface Lease extends Infer<typeof Lease> {}

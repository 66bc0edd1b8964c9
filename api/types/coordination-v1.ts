import { type Infer, int32, microTime, optional, ref, string, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Spec of a Lease: its holder, the time of the last renewal and the duration. */
export const LeaseSpec = struct('api.coordination.v1.LeaseSpec', {
  holderIdentity: optional(1, string),
  leaseDurationSeconds: optional(2, int32),
  acquireTime: optional(3, microTime),
  renewTime: optional(4, microTime),
  leaseTransitions: optional(5, int32),
});
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

/** Kind Lease: exclusive possession for a limited time, such as leadership, which the holder must renew. */
export const Lease = struct('api.coordination.v1.Lease', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<LeaseSpec>(LeaseSpec)),
});
export interface Lease extends Infer<typeof Lease> {}

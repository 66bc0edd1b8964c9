import type { Descriptions } from './texts.ts';

/** Descriptions of the group `coordination`. */
export const coordination = (): Descriptions => ({
  Lease: {
    '': 'A claim to something for a time, such as leadership, that its holder must renew.',
    spec: 'Holder of the lease, and when it ends.',
  },
  LeaseSpec: {
    '': 'Holder of a lease, and when it ends.',
    acquireTime: 'When the present holder got the lease.',
    holderIdentity: 'Name of the holder; empty if there is none.',
    leaseDurationSeconds: 'Seconds after `renewTime` when others may take the lease.',
    leaseTransitions: 'Number of times the lease has changed hands.',
    renewTime: 'When the holder last renewed the lease.',
  },
});

import type { Descriptions } from './texts.ts';

export const coordination = (): Descriptions => ({
  Lease: {
    '': 'A claim to something for a time, such as leadership, that its holder must renew.',
    spec: 'Who holds the lease and until when.',
  },
  LeaseSpec: {
    '': 'Who holds a lease and until when.',
    acquireTime: 'When the present holder got the lease.',
    holderIdentity: 'Name of the holder; empty when nobody holds it.',
    leaseDurationSeconds: 'Seconds after `renewTime` when others may take the lease.',
    leaseTransitions: 'Number of times the lease has changed hands.',
    renewTime: 'When the holder last renewed the lease.',
  },
});

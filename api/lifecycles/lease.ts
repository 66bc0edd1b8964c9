import { fromTime } from '../../base/clock/index.ts';
import type { Lease } from '../types/coordination-v1.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Free: 'it has no holder; the first candidate becomes the leader',
  Held: 'its holder leads',
  Expired: 'its holder has not renewed it in time; a candidate may take it over',
} as const;

/** Lifecycle of Leases and of the leaders that hold them (https://kubernetes.io/docs/concepts/architecture/leases/). */
export const leaseLifecycle = {
  id: 'lease',
  noun: 'Lease',
  kind: { group: 'coordination', plural: 'leases', kind: 'Lease' },
  states,
  transitions: [
    { from: ['absent'], to: 'Held', by: ['any client'], reason: 'the first leader creates it' },
    { from: ['absent'], to: 'Free', by: ['any client'], reason: 'it is created without a holder' },
    {
      from: ['absent'],
      to: 'Expired',
      by: ['any client'],
      reason: 'a client whose clock is behind creates it',
    },
    { from: ['Free'], to: 'Held', by: ['any client'], reason: 'a candidate takes it' },
    { from: ['Expired'], to: 'Held', by: ['any client'], reason: 'it is taken over or renewed' },
    { from: ['Held', 'Expired'], to: 'Free', by: ['any client'], reason: 'its holder releases it' },
    { from: ['Held'], to: 'Expired', by: ['clock'], reason: 'its holder does not renew it' },
    {
      from: ['Free', 'Held'],
      to: 'Expired',
      by: ['any client'],
      reason: 'a client whose clock is behind writes it',
    },
    { from: ANY, to: DELETED, by: ['any client'], reason: 'it is no longer needed' },
  ],
  stateOf({ spec }, { nowMs }) {
    if (!spec?.holderIdentity) return 'Free';
    const renewedMs = fromTime(spec.renewTime);
    const durationMs = Number(spec.leaseDurationSeconds ?? 0) * 1_000;
    return renewedMs === undefined || renewedMs + durationMs < nowMs ? 'Expired' : 'Held';
  },
} satisfies Lifecycle<Lease, keyof typeof states>;

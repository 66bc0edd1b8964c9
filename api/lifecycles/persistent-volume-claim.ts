import type { PersistentVolumeClaim } from '../types/core-v1-persistent-volume.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';
import { phaseIn } from './phase.ts';

const states = {
  Pending: 'no volume fits it yet',
  Bound: 'it has its volume',
  Lost: 'its volume no longer exists',
} as const;
type State = keyof typeof states;

/** Lifecycle of PersistentVolumeClaims; the states are the values of `status.phase`. */
export const claimLifecycle = {
  id: 'persistent-volume-claim',
  noun: 'PersistentVolumeClaim',
  kind: { group: '', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' },
  states,
  transitions: [
    { from: ['absent'], to: 'Pending', by: ['user'], reason: 'it is created' },
    { from: ['Pending'], to: 'Bound', by: ['volume binder'], reason: 'a volume is bound' },
    { from: ['Pending', 'Bound'], to: 'Lost', by: ['volume binder'], reason: 'its volume is gone' },
    { from: ['Lost'], to: 'Bound', by: ['volume binder'], reason: 'its volume is back' },
    {
      from: ANY,
      to: DELETED,
      by: ['pvc-protection', 'user', 'namespace', 'garbagecollector'],
      reason: 'no pod uses it any longer',
    },
  ],
  stateOf: ({ status }) => phaseIn(states, status?.phase) ?? 'Pending',
} satisfies Lifecycle<PersistentVolumeClaim, State>;

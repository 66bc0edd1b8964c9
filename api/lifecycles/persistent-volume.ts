import type { PersistentVolume } from '../types/core-v1-persistent-volume.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';
import { phaseIn } from './phase.ts';

const states = {
  Pending: 'nobody has examined it yet',
  Available: 'a claim can be bound to it',
  Bound: 'it belongs to a claim',
  Released: 'its claim was deleted, and it is not cleaned up yet',
  Failed: 'its cleanup failed',
} as const;
type State = keyof typeof states;

/** Lifecycle of PersistentVolumes (https://kubernetes.io/docs/concepts/storage/persistent-volumes/#phase). */
export const volumeLifecycle = {
  id: 'persistent-volume',
  noun: 'PersistentVolume',
  kind: { group: '', plural: 'persistentvolumes', kind: 'PersistentVolume' },
  states,
  transitions: [
    { from: ['absent'], to: 'Pending', by: ['user'], reason: 'it is created' },
    {
      from: ['Pending', 'Released', 'Failed'],
      to: 'Available',
      by: ['volume binder'],
      reason: 'no claim has it',
    },
    {
      from: ['Pending', 'Available', 'Released'],
      to: 'Bound',
      by: ['volume binder'],
      reason: 'it is bound to a claim',
    },
    {
      from: ['Pending', 'Available', 'Bound'],
      to: 'Released',
      by: ['volume binder'],
      reason: 'its claim is deleted',
    },
    { from: ['Bound', 'Released'], to: 'Failed', by: ['volume binder'], reason: 'its cleanup fails' },
    {
      from: ANY,
      to: DELETED,
      by: ['pv-protection', 'volume binder', 'user', 'garbagecollector'],
      reason: 'no claim has it any longer',
    },
  ],
  stateOf: ({ status }) => phaseIn(states, status?.phase) ?? 'Pending',
} satisfies Lifecycle<PersistentVolume, State>;

import type { Namespace } from '../types/core-v1.ts';
import { isTerminating } from './deletion.ts';
import { DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Active: 'objects can be created in it',
  Terminating: 'its contents are being deleted; nothing can be created in it',
} as const;

/** Lifecycle of Namespaces; the states are the values of `status.phase`. */
export const namespaceLifecycle = {
  id: 'namespace',
  noun: 'namespace',
  kind: { group: '', plural: 'namespaces', kind: 'Namespace' },
  states,
  transitions: [
    { from: ['absent'], to: 'Active', by: ['user', 'apiserver'], reason: 'it is created' },
    {
      from: ['Active'],
      to: 'Terminating',
      by: ['user', 'garbagecollector'],
      reason: 'its deletion is requested',
    },
    {
      from: ['Terminating'],
      to: DELETED,
      by: ['namespace', 'user', 'garbagecollector'],
      reason: 'it is empty and its last finalizer is removed',
    },
  ],
  stateOf: ({ metadata }) => (isTerminating(metadata ?? {}) ? 'Terminating' : 'Active'),
} satisfies Lifecycle<Namespace, keyof typeof states>;

import type { FlowSchema } from '../types/flowcontrol-v1beta2-flow-schema.ts';
import { statusOf } from './condition-status.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Unchecked: 'its priority level has not been looked up yet',
  Effective: 'its requests have their priority level',
  Dangling: 'its priority level does not exist',
} as const;

/** Lifecycle of FlowSchemas (https://kubernetes.io/docs/concepts/cluster-administration/flow-control/). */
export const flowSchemaLifecycle = {
  id: 'flow-schema',
  noun: 'FlowSchema',
  kind: { group: 'flowcontrol.apiserver', plural: 'flowschemas', kind: 'FlowSchema' },
  states,
  transitions: [
    { from: ['absent'], to: 'Unchecked', by: ['user', 'apiserver'], reason: 'it is created' },
    {
      from: ['Unchecked', 'Dangling'],
      to: 'Effective',
      by: ['apiserver'],
      reason: 'its priority level exists',
    },
    {
      from: ['Unchecked', 'Effective'],
      to: 'Dangling',
      by: ['apiserver'],
      reason: 'its priority level does not exist',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['user', 'apiserver', 'garbagecollector'],
      reason: 'it is no longer needed',
    },
  ],
  stateOf({ status }) {
    const dangling = statusOf(status?.conditions, 'Dangling');
    if (dangling === undefined) return 'Unchecked';
    return dangling === 'True' ? 'Dangling' : 'Effective';
  },
} satisfies Lifecycle<FlowSchema, keyof typeof states>;

import type { APIService } from '../types/apiregistration-v1.ts';
import { statusOf } from './condition-status.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Unchecked: 'its server has not been checked yet',
  Available: 'requests for its group are served',
  Unavailable: 'its server does not answer; requests for its group fail',
} as const;

/** Lifecycle of APIServices (https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/). */
export const apiServiceLifecycle = {
  id: 'api-service',
  noun: 'APIService',
  kind: { group: 'apiregistration', plural: 'apiservices', kind: 'APIService' },
  states,
  transitions: [
    { from: ['absent'], to: 'Unchecked', by: ['user'], reason: 'it is created' },
    {
      from: ['absent'],
      to: 'Available',
      by: ['apiserver', 'user'],
      reason: 'it is created for a group of this server',
    },
    { from: ['Unchecked', 'Unavailable'], to: 'Available', by: ['apiserver'], reason: 'its server answers' },
    {
      from: ['Unchecked', 'Available'],
      to: 'Unavailable',
      by: ['apiserver'],
      reason: 'its server does not answer',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['apiserver', 'user', 'garbagecollector'],
      reason: 'it is no longer needed',
    },
  ],
  stateOf({ status }) {
    const available = statusOf(status?.conditions, 'Available');
    if (available === undefined) return 'Unchecked';
    return available === 'True' ? 'Available' : 'Unavailable';
  },
} satisfies Lifecycle<APIService, keyof typeof states>;

import type { Pod } from '../types/core-v1-pod.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';
import { phaseIn } from './phase.ts';

const states = {
  Unscheduled: 'it has no node yet',
  Scheduled: 'its node has not started all containers yet',
  Running: 'at least one container runs or is being restarted',
  Succeeded: 'all containers have ended with success',
  Failed: 'all containers have ended, at least one with a failure',
  Unknown: 'its node does not answer',
} as const;

type State = keyof typeof states;
const unfinished = ['Unscheduled', 'Scheduled', 'Running', 'Unknown'] as const;

/** Lifecycle of pods (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase). */
export const podLifecycle = {
  id: 'pod',
  noun: 'pod',
  kind: { group: '', plural: 'pods', kind: 'Pod' },
  states,
  transitions: [
    { from: ['absent'], to: 'Unscheduled', by: ['job', 'user'], reason: 'it is created' },
    { from: ['absent'], to: 'Scheduled', by: ['user', 'node agent'], reason: 'it is created on a node' },
    {
      from: ['Unscheduled'],
      to: 'Scheduled',
      by: ['scheduler'],
      reason: 'a node is chosen',
      through: 'binding',
    },
    {
      from: ['Unscheduled', 'Scheduled', 'Unknown'],
      to: 'Running',
      by: ['node agent'],
      reason: 'a container starts',
    },
    { from: unfinished, to: 'Succeeded', by: ['node agent'], reason: 'all containers succeed' },
    { from: unfinished, to: 'Failed', by: ['node agent'], reason: 'a container fails' },
    {
      from: ['Scheduled', 'Running'],
      to: 'Unknown',
      by: ['node agent', 'user'],
      reason: 'its node is lost',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['job', 'node agent', 'user', 'namespace', 'garbagecollector'],
      reason: 'it is no longer needed',
    },
  ],
  // In the phase `Pending`, the state depends on the node.
  stateOf: ({ spec, status }) =>
    phaseIn(states, status?.phase) ?? (spec?.nodeName ? 'Scheduled' : 'Unscheduled'),
} satisfies Lifecycle<Pod, State>;

import type { CustomResourceDefinition } from '../types/apiextensions-v1.ts';
import { statusOf } from './condition-status.ts';
import { isTerminating } from './deletion.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  New: 'its names have not been checked yet',
  NamesRefused: 'other definitions have its names',
  NamesAccepted: 'its names are free, and its objects are not served yet',
  Established: 'its objects are served',
  Terminating: 'its objects are being deleted; none can be created',
} as const;

/** Lifecycle of CustomResourceDefinitions (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/). */
export const definitionLifecycle = {
  id: 'custom-resource-definition',
  noun: 'CustomResourceDefinition',
  kind: { group: 'apiextensions', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition' },
  states,
  transitions: [
    { from: ['absent'], to: 'New', by: ['user'], reason: 'it is created' },
    {
      from: ['New', 'NamesAccepted'],
      to: 'NamesRefused',
      by: ['apiserver'],
      reason: 'another definition has its names',
    },
    { from: ['New', 'NamesRefused'], to: 'NamesAccepted', by: ['apiserver'], reason: 'its names are free' },
    {
      from: ['New', 'NamesRefused', 'NamesAccepted'],
      to: 'Established',
      by: ['apiserver'],
      reason: 'its objects can be served',
    },
    {
      from: ['New', 'NamesRefused', 'NamesAccepted', 'Established'],
      to: 'Terminating',
      by: ['user', 'garbagecollector', 'apiserver'],
      reason: 'its deletion is requested',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['apiserver', 'user', 'garbagecollector'],
      reason: 'none of its objects is left',
    },
  ],
  stateOf({ metadata, status }) {
    if (isTerminating(metadata ?? {})) return 'Terminating';
    if (statusOf(status?.conditions, 'Established') === 'True') return 'Established';
    const names = statusOf(status?.conditions, 'NamesAccepted');
    if (names === undefined) return 'New';
    return names === 'True' ? 'NamesAccepted' : 'NamesRefused';
  },
} satisfies Lifecycle<CustomResourceDefinition, keyof typeof states>;

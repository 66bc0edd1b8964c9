import type { ApiObject } from '../kinds/kind.ts';
import { DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Live: 'nobody has requested its deletion',
  Terminating: 'its deletion was requested and cannot be revoked; finalizers or a grace period keep it',
} as const;

/** True if the deletion of the object with this metadata was requested. */
export const isTerminating = (metadata: { readonly deletionTimestamp?: string | undefined }): boolean =>
  metadata.deletionTimestamp !== undefined;

/** Lifecycle of objects of every kind (https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/). */
export const deletionLifecycle = {
  id: 'deletion',
  noun: 'object',
  kind: undefined,
  states,
  transitions: [
    { from: ['absent'], to: 'Live', by: ['any client'], reason: 'it is created' },
    {
      from: ['Live'],
      to: 'Terminating',
      by: ['any client'],
      reason: 'its deletion is requested and something keeps it',
    },
    { from: ['Live'], to: DELETED, by: ['any client'], reason: 'its deletion is requested' },
    { from: ['Terminating'], to: DELETED, by: ['any client'], reason: 'nothing keeps it any longer' },
  ],
  stateOf: ({ metadata }) => (isTerminating(metadata ?? {}) ? 'Terminating' : 'Live'),
} satisfies Lifecycle<ApiObject, keyof typeof states>;

import { bootstrapTokenExpiryMs } from '../bootstrap-token/expiry.ts';
import type { Secret } from '../types/core-v1.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Valid: 'clients can authenticate with it, as far as its usages allow',
  Expired: 'its expiration has passed, or is no time; it is ignored',
} as const;

/** Lifecycle of bootstrap tokens (https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/). */
export const bootstrapTokenLifecycle = {
  id: 'bootstrap-token',
  noun: 'bootstrap token',
  kind: { group: '', plural: 'secrets', kind: 'Secret' },
  states,
  transitions: [
    { from: ['absent'], to: 'Valid', by: ['user'], reason: 'it is created' },
    { from: ['absent'], to: 'Expired', by: ['user'], reason: 'it is created too late' },
    { from: ['Valid'], to: 'Expired', by: ['clock', 'user'], reason: 'its expiration passes' },
    { from: ['Expired'], to: 'Valid', by: ['user'], reason: 'its expiration is extended' },
    { from: ['Expired'], to: DELETED, by: ['tokencleaner'], reason: 'it is cleaned up' },
    {
      from: ANY,
      to: DELETED,
      by: ['user', 'namespace', 'garbagecollector'],
      reason: 'it is no longer needed',
    },
  ],
  concerns: ({ type }, { vocabulary }) => type === vocabulary.secretTypes.bootstrapToken,
  stateOf: (secret, { nowMs }) => (bootstrapTokenExpiryMs(secret) > nowMs ? 'Valid' : 'Expired'),
} satisfies Lifecycle<Secret, keyof typeof states>;

import type { Secret } from '../types/core-v1.ts';
import { ANY, DELETED, type Lifecycle } from './lifecycle.ts';

const states = {
  Unfilled: 'it has no token yet',
  Filled: 'it has the token of its ServiceAccount',
  Invalid: 'its token was unused for a long time and is rejected',
} as const;

/** Lifecycle of token Secrets of ServiceAccounts (https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/). */
export const tokenSecretLifecycle = {
  id: 'token-secret',
  noun: 'token Secret',
  kind: { group: '', plural: 'secrets', kind: 'Secret' },
  states,
  transitions: [
    { from: ['absent'], to: 'Unfilled', by: ['user'], reason: 'it is requested' },
    { from: ['absent'], to: 'Filled', by: ['serviceaccount-token', 'user'], reason: 'it is generated' },
    {
      from: ['Unfilled'],
      to: 'Filled',
      by: ['serviceaccount-token', 'user'],
      reason: 'its token is written',
    },
    { from: ['Filled'], to: 'Unfilled', by: ['user'], reason: 'its token is removed' },
    {
      from: ['Filled', 'Unfilled'],
      to: 'Invalid',
      by: ['legacy-service-account-token-cleaner', 'user'],
      reason: 'its token is unused for a period',
    },
    { from: ['Invalid'], to: 'Filled', by: ['apiserver', 'user'], reason: 'its mark is removed' },
    {
      from: ['Invalid'],
      to: DELETED,
      by: ['legacy-service-account-token-cleaner'],
      reason: 'its token is unused for another period',
    },
    {
      from: ANY,
      to: DELETED,
      by: ['serviceaccount-token', 'user', 'namespace', 'garbagecollector'],
      reason: 'its ServiceAccount or its use is gone',
    },
  ],
  concerns: ({ type }, { vocabulary }) => type === vocabulary.secretTypes.serviceAccountToken,
  stateOf({ data, metadata }, { vocabulary }) {
    if (metadata?.labels?.[vocabulary.key('', 'legacy-token-invalid-since')]) return 'Invalid';
    return data?.['token'] ? 'Filled' : 'Unfilled';
  },
} satisfies Lifecycle<Secret, keyof typeof states>;

import { namespaces, serviceAccounts } from '../../../api/groups/core-v1.ts';
import { named, namespace, makes, drops, type History } from '../../invariants/histories/objects.fixture.ts';

/** Histories of the invariants of `serviceaccount`. */
export const histories: readonly History[] = [
  [
    'serviceaccount/no-create-in-ending-namespace',
    [
      makes('user', namespaces, namespace({}, 'Terminating')),
      makes('serviceaccount', serviceAccounts, named('default')),
    ],
    [makes('user', namespaces, namespace()), makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/no-account-changed',
    [drops('serviceaccount', serviceAccounts, named('default'))],
    [makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/only-listed-accounts',
    [makes('serviceaccount', serviceAccounts, named('other'))],
    [makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/every-namespace-has-accounts',
    [makes('user', namespaces, namespace())],
    [makes('user', namespaces, namespace()), makes('serviceaccount', serviceAccounts, named('default'))],
  ],
];

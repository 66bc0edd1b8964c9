import { namespaces, serviceAccounts } from '../../../api/groups/core-v1.ts';
import { named, namespace, makes, drops, type History } from '../../invariants/histories/objects.fixture.ts';

/** Histories of the invariants of `serviceaccount`. */
export const histories: readonly History[] = [
  [
    'serviceaccount/N1',
    [
      makes('user', namespaces, namespace({}, 'Terminating')),
      makes('serviceaccount', serviceAccounts, named('default')),
    ],
    [makes('user', namespaces, namespace()), makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/N2',
    [drops('serviceaccount', serviceAccounts, named('default'))],
    [makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/N3',
    [makes('serviceaccount', serviceAccounts, named('other'))],
    [makes('serviceaccount', serviceAccounts, named('default'))],
  ],
  [
    'serviceaccount/E1',
    [makes('user', namespaces, namespace())],
    [makes('user', namespaces, namespace()), makes('serviceaccount', serviceAccounts, named('default'))],
  ],
];

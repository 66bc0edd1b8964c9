import { configMaps, namespaces, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { Namespace, Secret, ServiceAccount } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { rootCaCertPublisherInvariants } from '../../invariants/root-ca-cert-publisher.ts';
import { serviceAccountTokenInvariants } from '../../invariants/serviceaccount-token.ts';
import { serviceAccountInvariants } from '../../invariants/serviceaccount.ts';
import { creates, deletes, inGroups, oneByOne, planted, sharedOut, updates } from '../actions.ts';
import { NOON } from '../instants.ts';
import type { Action, Scenario } from '../world.ts';

const NAMES = ['a', 'b', 'c'];

export const namespaceOf = (vocabulary: Vocabulary, name: string): Namespace => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name },
  spec: { finalizers: [vocabulary.namespaceFinalizer] },
  status: { phase: 'Active' },
});

export const accountOf = (name: string, namespace: string): ServiceAccount => ({
  kind: 'ServiceAccount',
  apiVersion: 'v1',
  metadata: { name, namespace },
});

/** A namespace that ends is gone, as its controller lets it go. */
const goes = (name: string): Action =>
  updates(
    'the namespace goes',
    namespaces,
    '',
    name,
    ({ metadata, spec }) => (metadata?.deletionTimestamp ? { spec: { ...spec, finalizers: [] } } : undefined),
    { subresource: 'finalize' },
  );

/** Namespaces that end, go and come again; their account is deleted. */
export function serviceAccountScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'serviceaccount',
    instants: [NOON],
    ...oneByOne(
      NAMES.slice(0, objects).map((name) => planted(namespaces, namespaceOf(vocabulary, name))),
      [
        deletes('the user deletes the account', serviceAccounts, 'a', 'default'),
        deletes('the user deletes the namespace', namespaces, '', 'a'),
        goes('a'),
        creates('the user makes the namespace anew', namespaces, namespaceOf(vocabulary, 'a')),
      ],
    ),
    invariants: serviceAccountInvariants,
  };
}

/** Namespaces that end and go; the user changes what is published, and takes it away. */
export function rootCaScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const name = vocabulary.rootCaConfigMap;
  return {
    controller: 'root-ca-cert-publisher',
    instants: [NOON],
    ...oneByOne(
      NAMES.slice(0, objects).map((each) => planted(namespaces, namespaceOf(vocabulary, each))),
      [
        updates(
          'the user changes the certificate',
          configMaps,
          'a',
          name,
          ({ metadata }) => ({
            metadata: { ...metadata, labels: { changes: `${metadata?.labels?.['changes'] ?? ''}+` } },
            data: { 'ca.crt': 'mine' },
          }),
          { times: 2 },
        ),
        deletes('the user deletes the certificate', configMaps, 'a', name),
        deletes('the user deletes the namespace', namespaces, '', 'a'),
        goes('a'),
        creates('the user makes the namespace anew', namespaces, namespaceOf(vocabulary, 'a')),
      ],
    ),
    invariants: rootCaCertPublisherInvariants(vocabulary),
  };
}

/** Token Secrets of an account that goes and comes again; Secrets that do, and are named: of two, each of them one. */
export function serviceAccountTokenScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const namespace = 'team';
  const secretOf = (account: string): Secret => ({
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: {
      name: `${account}-token-x`,
      namespace,
      annotations: { [vocabulary.serviceAccountName]: account },
    },
    type: vocabulary.secretTypes.serviceAccountToken,
    data: { note: 'bQ==' },
  });
  const names = NAMES.slice(0, objects);
  const referring = (name: string): ServiceAccount => ({
    ...accountOf(name, namespace),
    secrets: [{ name: `${name}-token-x` }],
  });
  const changes = [
    (name: string) => [
      deletes('the user deletes the account', serviceAccounts, namespace, name),
      creates('the user makes the account anew', serviceAccounts, accountOf(name, namespace)),
    ],
    (name: string) => [
      deletes('the user deletes the Secret', secrets, namespace, `${name}-token-x`),
      creates('the user makes the Secret anew', secrets, secretOf(name)),
    ],
  ];
  return {
    controller: 'serviceaccount-token',
    instants: [NOON],
    ...inGroups(
      names.map((name, at) => ({
        objects: [planted(serviceAccounts, referring(name)), planted(secrets, secretOf(name))],
        actions: sharedOut(changes, objects, at).flatMap((change) => change(name)),
      })),
    ),
    invariants: serviceAccountTokenInvariants(vocabulary),
  };
}

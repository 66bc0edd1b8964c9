import { configMaps, namespaces, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { Namespace, Secret, ServiceAccount } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { rootCaCertPublisherInvariants } from '../../invariants/root-ca-cert-publisher.ts';
import { serviceAccountTokenInvariants } from '../../invariants/serviceaccount-token.ts';
import { serviceAccountInvariants } from '../../invariants/serviceaccount.ts';
import { creates, deletes, inGroups, oneByOne, planted, sharedOut, updates } from '../actions.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { NOON } from '../instants.ts';
import { uidOf } from '../model-store.ts';
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

const TOKENS = 'team';
const tokenName = (account: string): string => `${account}-token-x`;

const tokenSecretOf = (vocabulary: Vocabulary, account: string): Secret => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: {
    name: tokenName(account),
    namespace: TOKENS,
    annotations: { [vocabulary.serviceAccountName]: account },
  },
  type: vocabulary.secretTypes.serviceAccountToken,
  data: { note: 'bQ==' },
});

/** Accounts that name a Secret to be filled; what users do, each thing is done to one. */
const tokensWith =
  (changesOf: (vocabulary: Vocabulary) => readonly ((name: string) => readonly Action[])[]) =>
  (vocabulary: Vocabulary, objects: number): Scenario => ({
    controller: 'serviceaccount-token',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => ({
        objects: [
          planted(serviceAccounts, { ...accountOf(name, TOKENS), secrets: [{ name: tokenName(name) }] }),
          planted(secrets, tokenSecretOf(vocabulary, name)),
        ],
        actions: sharedOut(changesOf(vocabulary), objects, at).flatMap((change) => change(name)),
      })),
    ),
    invariants: serviceAccountTokenInvariants(vocabulary, { areGenerated: true }),
  });

/** Token Secrets of an account that goes and comes again; Secrets that do, and are named: of two, each of them one. */
export const serviceAccountTokenScenario = tokensWith((vocabulary) => [
  (name) => [
    deletes('the user deletes the account', serviceAccounts, TOKENS, name),
    creates('the user makes the account anew', serviceAccounts, accountOf(name, TOKENS)),
  ],
  (name) => [
    deletes('the user deletes the Secret', secrets, TOKENS, tokenName(name)),
    creates('the user makes the Secret anew', secrets, tokenSecretOf(vocabulary, name)),
  ],
]);

/** Secrets that were filled while another authority was in force; users delete an account. `rootCa`: PEM of the present one. */
export const rotatedTokenScenario =
  (rootCa: string) =>
  (vocabulary: Vocabulary, objects: number): Scenario => {
    const former = Buffer.from('a certificate of before').toString('base64');
    const filledOf = (name: string): Secret => {
      const secret = tokenSecretOf(vocabulary, name);
      const uid = uidOf(resourceOf(serviceAccounts), name, 1);
      return {
        ...secret,
        metadata: {
          ...secret.metadata,
          annotations: { ...secret.metadata?.annotations, [vocabulary.serviceAccountUid]: uid },
        },
        data: { ...secret.data, token: 'eA==', namespace: 'dGVhbQ==', 'ca.crt': former },
      };
    };
    return {
      controller: 'serviceaccount-token',
      instants: [NOON],
      ...inGroups(
        NAMES.slice(0, objects).map((name, at) => ({
          objects: [
            planted(serviceAccounts, { ...accountOf(name, TOKENS), secrets: [{ name: tokenName(name) }] }),
            planted(secrets, filledOf(name)),
          ],
          actions: at === 0 ? [deletes('the user deletes the account', serviceAccounts, TOKENS, name)] : [],
        })),
      ),
      invariants: serviceAccountTokenInvariants(vocabulary, { areGenerated: true, rootCa }),
    };
  };

/** Secrets that are emptied once they were filled; accounts that name none any more. */
export const emptiedTokenScenario = tokensWith(() => [
  (name) => [
    updates('the user empties the Secret', secrets, TOKENS, tokenName(name), ({ data }) =>
      data?.['token'] === undefined ? undefined : { data: {} },
    ),
  ],
  (name) => [
    updates('the user takes the Secrets from the account', serviceAccounts, TOKENS, name, () => ({
      secrets: [],
    })),
  ],
]);

import { secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { generatedName } from '../../../controllers/serviceaccount-token/index.ts';
import { creates, deletes, inGroups, planted, sharedOut, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import { uidOf } from '../../explore/model-store.ts';
import type { Action, Scenario } from '../../explore/scenario.ts';
import { NAMES, accountOf } from '../../explore/scenarios/accounts.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { serviceAccountTokenInvariants } from './invariants.ts';

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

/**
 * Creates a workload of ServiceAccounts with one token Secret each. The changes are distributed over the
 * accounts.
 */
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

/** Returns a workload: accounts and token Secrets that are deleted and recreated. */
export const serviceAccountTokenScenario = tokensWith((vocabulary) => [
  (name) => [
    deletes('the user deletes the account', serviceAccounts, TOKENS, name),
    creates('the user recreates the account', serviceAccounts, accountOf(name, TOKENS)),
  ],
  (name) => [
    deletes('the user deletes the Secret', secrets, TOKENS, tokenName(name)),
    creates('the user recreates the Secret', secrets, tokenSecretOf(vocabulary, name)),
  ],
]);

/**
 * Returns a workload: Secrets with the certificate of a former authority, and an account that is deleted.
 * `rootCa` is the PEM of the current authority.
 */
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

/** Returns a token Secret as the controller generates it. `id` is the id of its token. */
const generatedSecretOf = (vocabulary: Vocabulary, rootCa: string, name: string, id: string): Secret => {
  const uid = uidOf(resourceOf(serviceAccounts), name, 1);
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const claims = Buffer.from(JSON.stringify({ jti: id })).toString('base64url');
  return {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: {
      name: generatedName({ metadata: { name, uid } }, id),
      namespace: TOKENS,
      annotations: { [vocabulary.serviceAccountName]: name, [vocabulary.serviceAccountUid]: uid },
    },
    type: vocabulary.secretTypes.serviceAccountToken,
    data: { token: base64(`.${claims}.`), namespace: base64(TOKENS), 'ca.crt': base64(rootCa) },
  };
};

/**
 * Returns a workload: accounts with two generated tokens, as two processes may leave them. Each account names
 * the first token. The user deletes that token and removes its name. `rootCa` is the PEM of the authority.
 */
export const duplicatedTokenScenario =
  (rootCa: string) =>
  (vocabulary: Vocabulary, objects: number): Scenario => ({
    controller: 'serviceaccount-token',
    instants: [NOON],
    ...inGroups(
      NAMES.slice(0, objects).map((name, at) => {
        const both = ['first', 'second'].map((id) => generatedSecretOf(vocabulary, rootCa, name, id));
        const first = both[0]?.metadata?.name ?? '';
        const changes = [
          deletes('the user deletes the Secret', secrets, TOKENS, first),
          updates('the user removes the Secrets from the account', serviceAccounts, TOKENS, name, () => ({
            secrets: [],
          })),
        ];
        return {
          objects: [
            planted(serviceAccounts, { ...accountOf(name, TOKENS), secrets: [{ name: first }] }),
            ...both.map((secret) => planted(secrets, secret)),
          ],
          actions: sharedOut(changes, objects, at),
        };
      }),
    ),
    invariants: serviceAccountTokenInvariants(vocabulary, { areGenerated: true, areDuplicated: true }),
  });

/**
 * Returns a workload: filled Secrets that the user empties, and accounts that no longer name their Secrets.
 */
export const emptiedTokenScenario = tokensWith(() => [
  (name) => [
    updates('the user empties the Secret', secrets, TOKENS, tokenName(name), ({ data }) =>
      data?.['token'] === undefined ? undefined : { data: {} },
    ),
  ],
  (name) => [
    updates('the user removes the Secrets from the account', serviceAccounts, TOKENS, name, () => ({
      secrets: [],
    })),
  ],
]);

import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { splitKey } from '../../api/kinds/scheme.ts';
import { isAlreadyExists, isNotFound } from '../../api/status/api-error.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type {
  AccountIdentity,
  AccountInput,
  Generation,
} from '../../machines/serviceaccount-token/service-account-token.ts';
import { type ControllerContext, type Store, unchanged } from '../../runtime/index.ts';
import { isNamespaceEnding } from '../namespace-state.ts';
import { generatedName, isGenerated } from './generated-name.ts';
import { isTokenOf } from './observe.ts';

/** What the token Secret of this key and account holds, base64. */
export type TokenData = (key: string, account: AccountIdentity) => Promise<Readonly<Record<string, string>>>;

/** Names tried before the rest is left to the next reconcile. */
const MOST_ATTEMPTS = 5;

/**
 * Creates the token Secret of an account, unless the API itself, asked anew, knows that the account was deleted or has one.
 * A token that was generated before and that the account does not name is returned in place of a new one. A server that
 * checks conditions creates the Secret only while the account is at the version read. `tokens` has the index `account`.
 */
export function createGenerate(
  { client, scheme: { vocabulary } }: ControllerContext,
  tokens: Store<Secret>,
  dataOf: TokenData,
): (input: AccountInput, signal: AbortSignal) => Promise<Generation> {
  const { serviceAccountName, serviceAccountUid, secretTypes } = vocabulary;

  /** The Secret, or undefined if the API itself says that there is none of the name. */
  const find = (namespace: string, name: string, signal: AbortSignal) =>
    client
      .namespaced(secrets, namespace)
      .get(name, { signal })
      .catch((thrown: unknown) => {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      });

  /** The name of a token that an earlier attempt has generated, whose reference was lost. */
  const madeBefore = async (
    namespace: string,
    { name: account, uid }: AccountIdentity,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    for (const { metadata } of tokens.byIndex('account', `${namespace}/${account}`)) {
      const { name = '' } = metadata ?? {};
      if (!isGenerated(name, account)) continue;
      if (isTokenOf(await find(namespace, name, signal), uid, vocabulary)) return name;
    }
    return undefined;
  };

  const create = async (
    namespace: string,
    live: DeepReadonly<ServiceAccount>,
    account: AccountIdentity,
    deleted: readonly string[],
    signal: AbortSignal,
  ): Promise<string> => {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const name = generatedName(live, deleted, attempt);
      const annotations = { [serviceAccountName]: account.name, [serviceAccountUid]: account.uid };
      try {
        await client.namespaced(secrets, namespace).create(
          {
            metadata: { name, namespace, annotations },
            type: secretTypes.serviceAccountToken,
            data: await dataOf(`${namespace}/${name}`, account),
          },
          { signal, while: [unchanged(serviceAccounts, live)] },
        );
        return name;
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown;
        if (isTokenOf(await find(namespace, name, signal), account.uid, vocabulary)) return name;
      }
    }
    throw new Error(`the names of ${MOST_ATTEMPTS} tokens for ${namespace}/${account.name} are taken`);
  };

  return async ({ key, account }, signal) => {
    const { namespace } = splitKey(key);
    try {
      const live = await client.namespaced(serviceAccounts, namespace).get(account.name, { signal });
      const { uid, deletionTimestamp } = live.metadata ?? {};
      if (uid !== account.uid || deletionTimestamp !== undefined) return null;
      const deleted: string[] = [];
      for (const { name = '' } of live.secrets ?? []) {
        const found = await find(namespace, name, signal);
        if (isTokenOf(found, account.uid, vocabulary)) return null;
        if (found === undefined && isGenerated(name, account.name)) deleted.push(name);
      }
      const before = await madeBefore(namespace, account, signal);
      const name = before ?? (await create(namespace, live, account, deleted, signal));
      return { secret: `${namespace}/${name}`, deleted };
    } catch (thrown) {
      if (isNamespaceEnding(thrown)) return null;
      throw thrown;
    }
  };
}

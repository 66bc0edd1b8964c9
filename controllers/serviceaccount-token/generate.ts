import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { isAlreadyExists } from '../../api/status/index.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type {
  AccountIdentity,
  AccountInput,
  Generation,
} from '../../machines/serviceaccount-token/service-account-token.ts';
import { type Client, type ControllerContext, type Store, unchanged } from '../../runtime/index.ts';
import { isNamespaceEnding } from '../namespace-state.ts';
import { generatedName, isGenerated } from './generated-name.ts';
import { isTokenOf } from './observe.ts';
import { unlessNotFound } from '../absence.ts';

/** Function that returns the data of a token Secret, in base64. `id` is the `jti` of its token. */
export type TokenData = (
  key: string,
  account: AccountIdentity,
  id: string,
) => Promise<Readonly<Record<string, string>>>;

/** Reads a Secret from the API. Returns undefined if it does not exist. */
export const findSecret = (
  client: Client,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<DeepReadonly<Secret> | undefined> =>
  client.namespaced(secrets, namespace).get(name, { signal }).catch(unlessNotFound);

/** Maximum number of names tried in one reconcile. */
const MAX_ATTEMPTS = 5;

/**
 * Creates the effect that creates the token Secret of a ServiceAccount. A live read decides whether the
 * ServiceAccount exists and has no token yet. If an earlier generated token exists that the ServiceAccount
 * does not name, its name is returned instead. A server that supports write conditions creates the Secret
 * only while the ServiceAccount has the version that was read.
 *
 * Each creation uses a new name. Two processes at the same time, or a lost response, can therefore leave two
 * tokens. The ServiceAccount refers to one of them, and `observe` classifies the other as a duplicate.
 * @param tokens store of token Secrets with the index `account`
 */
export function createGenerate(
  { client, random, scheme: { vocabulary } }: ControllerContext,
  tokens: Store<Secret>,
  dataOf: TokenData,
): (input: AccountInput, signal: AbortSignal) => Promise<Generation> {
  const { serviceAccountName, serviceAccountUid, secretTypes } = vocabulary;

  const find = (namespace: string, name: string, signal: AbortSignal) =>
    findSecret(client, namespace, name, signal);

  /** Returns the name of a token that an earlier attempt generated without adding the reference. */
  const generatedBefore = async (
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
    signal: AbortSignal,
  ): Promise<string> => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const id = random.uuid();
      const name = generatedName(live, id);
      const annotations = { [serviceAccountName]: account.name, [serviceAccountUid]: account.uid };
      try {
        await client.namespaced(secrets, namespace).create(
          {
            metadata: { name, namespace, annotations },
            type: secretTypes.serviceAccountToken,
            data: await dataOf(`${namespace}/${name}`, account, id),
          },
          { signal, while: [unchanged(serviceAccounts, live)] },
        );
        return name;
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown;
        if (isTokenOf(await find(namespace, name, signal), account.uid, vocabulary)) return name;
      }
    }
    throw new Error(`the names of ${MAX_ATTEMPTS} tokens for ${namespace}/${account.name} already exist`);
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
      const before = await generatedBefore(namespace, account, signal);
      const name = before ?? (await create(namespace, live, account, signal));
      return { secret: `${namespace}/${name}`, deleted };
    } catch (thrown) {
      if (isNamespaceEnding(thrown)) return null;
      throw thrown;
    }
  };
}

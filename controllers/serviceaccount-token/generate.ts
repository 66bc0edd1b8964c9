import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { splitKey } from '../../api/kinds/scheme.ts';
import { isAlreadyExists, isNotFound } from '../../api/status/api-error.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type {
  AccountIdentity,
  AccountInput,
  Generation,
} from '../../machines/serviceaccount-token/service-account-token.ts';
import { type ControllerContext, unchanged } from '../../runtime/index.ts';
import { isNamespaceEnding } from '../namespace-state.ts';
import { generatedName, isGenerated } from './generated-name.ts';
import { isTokenOf } from './observe.ts';

/** What the token Secret of this key and account holds, base64. */
export type TokenData = (key: string, account: AccountIdentity) => Promise<Readonly<Record<string, string>>>;

/** Names tried before the rest is left to the next reconcile. */
const MOST_ATTEMPTS = 5;

/**
 * Creates the token Secret of an account, unless the API itself, asked anew, knows that the account is gone or has one. One
 * that was generated before, whose answer or reference was lost, is returned in place of a new one. The account is read
 * before the tokens are, and a server that checks conditions creates the Secret only while the account is at the version
 * read: a creation that arrives late, or from a process that has seen an older account, makes no second token.
 */
export function createGenerate(
  { client, scheme: { vocabulary } }: ControllerContext,
  dataOf: TokenData,
): (input: AccountInput, signal: AbortSignal) => Promise<Generation> {
  const { serviceAccountName, serviceAccountUid, secretTypes } = vocabulary;

  const isToken = async (
    namespace: string,
    name: string,
    uid: string,
    signal: AbortSignal,
  ): Promise<boolean> => {
    try {
      return isTokenOf(await client.namespaced(secrets, namespace).get(name, { signal }), uid, vocabulary);
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
  };

  /** The name of a token that was generated for the account before. */
  const madeBefore = async (
    namespace: string,
    { name, uid }: AccountIdentity,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const fieldSelector = `type=${secretTypes.serviceAccountToken}`;
    const { items } = await client
      .namespaced(secrets, namespace)
      .list({ fieldSelector, metadataOnly: true, signal });
    const isOwn = ({ metadata }: DeepReadonly<ApiObject>): boolean =>
      metadata?.annotations?.[serviceAccountUid] === uid &&
      metadata.deletionTimestamp === undefined &&
      isGenerated(metadata.name ?? '', name);
    return items.find(isOwn)?.metadata?.name;
  };

  const create = async (
    namespace: string,
    live: DeepReadonly<ServiceAccount>,
    account: AccountIdentity,
    signal: AbortSignal,
  ): Promise<Generation> => {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const name = generatedName(live, attempt);
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
        return { secret: `${namespace}/${name}` };
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown;
        if (await isToken(namespace, name, account.uid, signal)) return { secret: `${namespace}/${name}` };
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
      for (const { name = '' } of live.secrets ?? [])
        if (await isToken(namespace, name, account.uid, signal)) return null;
      const before = await madeBefore(namespace, account, signal);
      return before === undefined
        ? await create(namespace, live, account, signal)
        : { secret: `${namespace}/${before}` };
    } catch (thrown) {
      if (isNamespaceEnding(thrown)) return null;
      throw thrown;
    }
  };
}

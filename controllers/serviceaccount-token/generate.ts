import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { splitKey } from '../../api/kinds/scheme.ts';
import { isAlreadyExists, isNotFound } from '../../api/status/api-error.ts';
import type { AccountInput, Generation } from '../../machines/serviceaccount-token/service-account-token.ts';
import type { ControllerContext } from '../../runtime/index.ts';
import { isNamespaceEnding } from '../namespace-state.ts';
import { isTokenOf } from './observe.ts';

/** What a token Secret holds, base64. */
export type TokenData = (input: AccountInput) => Promise<Readonly<Record<string, string>>>;

/**
 * Creates the token Secret of an account, unless the API itself, asked anew, knows that the account is gone or names one. A
 * Secret that stands there already is the one of an earlier try, or not ours.
 */
export const createGenerate =
  ({ client, scheme: { vocabulary } }: ControllerContext, dataOf: TokenData) =>
  async (input: AccountInput, signal: AbortSignal): Promise<Generation> => {
    const { key, account } = input;
    const { namespace, name } = splitKey(key);
    const own = client.namespaced(secrets, namespace);
    const isToken = async (secret: string): Promise<boolean> => {
      try {
        return isTokenOf(await own.get(secret, { signal }), account.uid, vocabulary);
      } catch (thrown) {
        if (isNotFound(thrown)) return false;
        throw thrown;
      }
    };
    try {
      const live = await client.namespaced(serviceAccounts, namespace).get(account.name, { signal });
      const { uid, deletionTimestamp } = live.metadata ?? {};
      if (uid !== account.uid || deletionTimestamp !== undefined) return 'unwanted';
      for (const each of live.secrets ?? []) if (await isToken(each.name ?? '')) return 'unwanted';
      await own.create(
        {
          metadata: {
            name,
            namespace,
            annotations: {
              [vocabulary.serviceAccountName]: account.name,
              [vocabulary.serviceAccountUid]: account.uid,
            },
          },
          type: vocabulary.secretTypes.serviceAccountToken,
          data: await dataOf(input),
        },
        { signal },
      );
      return 'generated';
    } catch (thrown) {
      if (isNamespaceEnding(thrown)) return 'unwanted';
      if (isAlreadyExists(thrown)) return (await isToken(name)) ? 'generated' : 'unwanted';
      throw thrown;
    }
  };

import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { splitKey } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { DuplicateInput } from '../../machines/serviceaccount-token/service-account-token.ts';
import { type ControllerContext, unchanged } from '../../runtime/index.ts';
import { findSecret } from './generate.ts';
import { isGeneratedFor } from './generated-name.ts';
import { isTokenOf } from './observe.ts';

/**
 * Creates the effect that deletes a generated token Secret. It does so only if, according to the API, the
 * ServiceAccount refers to another generated token that exists. A server that supports write conditions
 * deletes the Secret only while the ServiceAccount has the version that was read.
 */
export function createRemoveDuplicate({ client, scheme: { vocabulary } }: ControllerContext) {
  return async (
    { key, uid, resourceVersion, account }: DuplicateInput,
    signal: AbortSignal,
  ): Promise<void> => {
    const { namespace, name } = splitKey(key);
    try {
      const live = await client.namespaced(serviceAccounts, namespace).get(account.name, { signal });
      if (live.metadata?.uid !== account.uid) return;
      const named = (live.secrets ?? []).map((each) => each.name ?? '');
      if (named.includes(name)) return;
      for (const each of named) {
        const other = await findSecret(client, namespace, each, signal);
        if (!isTokenOf(other, account.uid, vocabulary) || !isGeneratedFor(live, other)) continue;
        await client.namespaced(secrets, namespace).delete(name, {
          preconditions: { uid, resourceVersion },
          while: [unchanged(serviceAccounts, live), unchanged(secrets, other)],
          signal,
        });
        return;
      }
    } catch (thrown) {
      if (!isNotFound(thrown)) throw thrown;
    }
  };
}

import { isConflict, isNotFound } from '../../api/status/api-error.ts';
import { secrets } from '../../api/groups/core-v1.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import {
  tokenCleanerMachine,
  type ObservedToken,
  type TokenDeletion,
  type TokenToDelete,
} from '../../machines/tokencleaner/token-cleaner.ts';
import type { ControllerContext } from '../../runtime/controller/controller.ts';
import { defineController, watch } from '../../runtime/controller/define.ts';

const scopeOf = ({ scheme: { vocabulary } }: ControllerContext) => ({
  namespace: vocabulary.namespaces.system,
  fieldSelector: `type=${vocabulary.secretTypes.bootstrapToken}`,
});

/** Deletes bootstrap tokens that have expired; on in the controller manager unless switched off. */
export const tokenCleaner = defineController({
  name: 'tokencleaner',
  machine: tokenCleanerMachine,
  watches: (context) => [watch(secrets, scopeOf(context))],
  effects(context) {
    const { client, clock, informers } = context;
    const tokens = informers.of(secrets, scopeOf(context)).store;
    return {
      observe: ({ key }: { readonly key: string }): Promise<ObservedToken> =>
        Promise.resolve(observe(tokens.get(key), clock.now())),

      async deleteToken(token: TokenToDelete, signal): Promise<TokenDeletion> {
        const { namespace, name } = parseKey(token.key);
        const preconditions = { uid: token.uid, resourceVersion: token.resourceVersion };
        try {
          await client.namespaced(secrets, namespace).delete(name, { preconditions, signal });
          return 'deleted';
        } catch (thrown) {
          if (isNotFound(thrown)) return 'deleted';
          if (isConflict(thrown)) return 'changed';
          throw thrown;
        }
      },
    };
  },
});

function parseKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

function observe(secret: DeepReadonly<Secret> | undefined, nowMs: number): ObservedToken {
  const { uid, resourceVersion, deletionTimestamp } = secret?.metadata ?? {};
  if (uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined)
    return { found: false };
  return { found: true, uid, resourceVersion, expiresInMs: expiresInMs(secret, nowMs) };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;

/** As the real system has it: without an `expiration` never, with one that is no RFC 3339 time expired already. */
function expiresInMs(secret: DeepReadonly<Secret> | undefined, nowMs: number): number | null {
  const text = Buffer.from(secret?.data?.['expiration'] ?? '', 'base64').toString();
  if (text === '') return null;
  const atMs = RFC_3339.test(text) ? Date.parse(text.replace(',', '.')) : Number.NaN;
  return Number.isNaN(atMs) ? 0 : atMs - nowMs;
}

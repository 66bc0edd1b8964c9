import type { KeyObject } from 'node:crypto';
import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { type ApiObject, type DeepReadonly, keyOf, splitKey } from '../../api/kinds/index.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import { type ObjectIdentity, createTokenIssuer } from '../../base/tokens/index.ts';
import {
  type AccountInput,
  type DeleteInput,
  type FillInput,
  type ReferenceInput,
  serviceAccountTokenMachine,
} from '../../machines/serviceaccount-token/service-account-token.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  watch,
} from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import { implement } from '../implement.ts';
import { createGenerate, findSecret } from './generate.ts';
import { generationKey, isGenerated } from './generated-name.ts';
import { watchDeletedTokens } from './deleted-tokens.ts';
import { type AuthorityData, createObserve, encoded, isTokenOf } from './observe.ts';
import { createRemoveDuplicate } from './remove-duplicate.ts';
import { serviceAccountTokenManifest } from './manifest.ts';

/** Settings of the token controller. */
export interface ServiceAccountTokenSettings {
  /** Key that signs tokens. The API server verifies tokens with its public half. */
  readonly privateKey: KeyObject;
  /**
   * CA (PEM) of the API server's certificate, or '' if it is unknown. Read for each reconcile, because it may
   * change.
   */
  readonly rootCa: string;
  /** True to generate a token Secret for every ServiceAccount. Default true. */
  readonly generate?: boolean;
}

/**
 * Generates a token Secret for every ServiceAccount, fills token Secrets and deletes token Secrets whose
 * ServiceAccount was deleted:
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#token-controller
 */
export const serviceAccountTokenController = (settings: ServiceAccountTokenSettings): ControllerDefinition =>
  implement(serviceAccountTokenManifest, {
    machine: serviceAccountTokenMachine,
    watches: (context) => {
      const tokens = tokensOf(context);
      return [
        watch(secrets, {
          ...scopeOf(context),
          // The deletion of a Secret may leave its ServiceAccount without a token.
          keys: (secret) => {
            const key = keyOf(secret as ApiObject);
            const account = secret.metadata?.annotations?.[context.scheme.vocabulary.serviceAccountName];
            if (account === undefined) return [key];
            const { namespace = '', uid } = secret.metadata ?? {};
            const isDeleted = tokens.store.get(key)?.metadata?.uid !== uid;
            if (isDeleted) return [key, generationKey(namespace, account)];
            // A generated token that appears after another generated token can make the other one a
            // duplicate.
            const generated = tokens.store
              .byIndex('account', `${namespace}/${account}`)
              .filter(({ metadata }) => isGenerated(metadata?.name ?? '', account));
            return [...new Set([key, ...generated.map((each) => keyOf(each as ApiObject))])];
          },
        }),
        watch(serviceAccounts, {
          keys: (account) => {
            const { namespace = '', name = '' } = account.metadata ?? {};
            return [
              ...tokens.store
                .byIndex('account', keyOf(account as ApiObject))
                .map(({ metadata }) => metadata?.name),
              ...(account.secrets ?? []).map((each) => each.name),
            ]
              .map((secret) => `${namespace}/${secret ?? ''}`)
              .concat(settings.generate === false ? [] : [generationKey(namespace, name)]);
          },
        }),
      ];
    },
    effects: (context) => createEffects(context, settings),
  });

const scopeOf = ({ scheme: { vocabulary } }: ControllerContext) => ({
  fieldSelector: `type=${vocabulary.secretTypes.serviceAccountToken}`,
});

/**
 * Returns the informer of token Secrets, with the index `account`, the key of the ServiceAccount of a token.
 */
function tokensOf(context: ControllerContext) {
  const { serviceAccountName } = context.scheme.vocabulary;
  const informer = context.informers.of(secrets, scopeOf(context));
  informer.index('account', ({ metadata }) => {
    const name = metadata?.annotations?.[serviceAccountName];
    return name === undefined ? [] : [`${metadata?.namespace ?? ''}/${name}`];
  });
  return informer;
}

function createEffects(context: ControllerContext, settings: ServiceAccountTokenSettings): Effects {
  const { client, informers, scheme, random } = context;
  const { vocabulary } = scheme;
  const tokens = tokensOf(context).store;
  const accounts = informers.of(serviceAccounts);
  const secretKey = (account: DeepReadonly<ServiceAccount>, name: string | undefined): string =>
    `${account.metadata?.namespace ?? ''}/${name ?? ''}`;
  accounts.index('secret', (account) => (account.secrets ?? []).map(({ name }) => secretKey(account, name)));
  const issuer = createTokenIssuer({
    privateKey: settings.privateKey,
    issuer: vocabulary.issuer,
    names: vocabulary,
  });
  const tokenFor = (key: string, account: ObjectIdentity, id = random.uuid()): Promise<string> => {
    const { namespace, name } = splitKey(key);
    return issuer.legacyToken({ namespace, serviceAccount: account, secretName: name, id });
  };
  const authority = (): AuthorityData =>
    settings.rootCa === '' ? {} : { 'ca.crt': encoded(settings.rootCa) };
  const deletedTokens = watchDeletedTokens(context, tokensOf(context));
  const areGenerated = settings.generate !== false;

  return {
    observe: createObserve(context, {
      tokens,
      accounts: accounts.store,
      areGenerated,
      deleted: deletedTokens,
      authority,
    }),

    fill: async ({ key, uid, resourceVersion, account }: FillInput, signal: AbortSignal): Promise<void> => {
      const secret = tokens.get(key);
      if (!secret || secret.metadata?.uid !== uid) throw new Error(`secret ${key} has been replaced`);
      const { namespace } = splitKey(key);
      const token = secret.data?.['token'] || encoded(await tokenFor(key, account));
      // A namespace that is already present is retained, because a proxy in front of the server may use
      // another namespace.
      const namespaceData = secret.data?.['namespace'] || encoded(namespace);
      await client.namespaced(secrets, namespace).update(
        {
          ...secret,
          metadata: {
            ...secret.metadata,
            resourceVersion,
            annotations: { ...secret.metadata.annotations, [vocabulary.serviceAccountUid]: account.uid },
          },
          data: { ...secret.data, token, ...authority(), namespace: namespaceData },
        },
        { signal },
      );
    },

    deleteSecret: async ({ key, uid, resourceVersion }: DeleteInput, signal: AbortSignal): Promise<void> => {
      const { namespace, name } = splitKey(key);
      await client
        .namespaced(secrets, namespace)
        .delete(name, { preconditions: { uid, resourceVersion }, signal })
        .catch(unlessNotFound);
    },

    removeDuplicate: createRemoveDuplicate(context),

    generate: createGenerate(context, tokens, async (key, account, id) => {
      const { namespace } = splitKey(key);
      const token = await tokenFor(key, account, id);
      return { token: encoded(token), ...authority(), namespace: encoded(namespace) };
    }),

    reference: ({ key, account, deleted }: ReferenceInput, signal: AbortSignal): Promise<void> =>
      rewriteSecrets(context, { key, account }, signal, async (named, name) => {
        const { namespace } = splitKey(key);
        const kept = named.filter((each) => !deleted.includes(each.name ?? ''));
        for (const { name: other = '' } of kept)
          if (isTokenOf(await findSecret(client, namespace, other, signal), account.uid, vocabulary))
            return named;
        return kept.some((each) => each.name === name) ? named : [...kept, { name }];
      }),

    unreference: async ({ key, account }: AccountInput, signal: AbortSignal): Promise<void> => {
      await rewriteSecrets(context, { key, account }, signal, async (named, name) =>
        named.filter((each) => each.name !== name),
      );
      deletedTokens.forget(key);
    },
  };
}

type Named = NonNullable<DeepReadonly<ServiceAccount>['secrets']>;

/**
 * Rewrites the list of Secrets that a ServiceAccount names, at the version that was read. Does nothing if the
 * ServiceAccount was deleted.
 */
async function rewriteSecrets(
  { client }: ControllerContext,
  { key, account }: AccountInput,
  signal: AbortSignal,
  rewrite: (named: Named, name: string) => Promise<Named>,
): Promise<void> {
  const { namespace, name } = splitKey(key);
  const own = client.namespaced(serviceAccounts, namespace);
  const live = await own.get(account.name, { signal }).catch(unlessNotFound);
  if (live?.metadata?.uid !== account.uid) return;
  const named = live.secrets ?? [];
  const rewritten = await rewrite(named, name);
  if (rewritten.some((each) => !named.includes(each)) || rewritten.length !== named.length)
    await own.update({ ...live, secrets: rewritten }, { signal });
}

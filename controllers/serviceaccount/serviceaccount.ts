import { namespaces, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isAlreadyExists } from '../../api/status/index.ts';
import {
  type CreateInput,
  type ObservedNamespace,
  serviceAccountMachine,
} from '../../machines/serviceaccount/service-account.ts';
import { type ControllerContext, type Effects, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { isActive, isNamespaceEnding } from '../namespace-state.ts';
import { serviceAccountManifest } from './manifest.ts';

/** Names of the ServiceAccounts that every active namespace has. */
const ACCOUNTS: readonly string[] = ['default'];

/**
 * Creates the ServiceAccount `default` in every active namespace:
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-controller
 */
export const serviceAccountController = implement(serviceAccountManifest, {
  machine: serviceAccountMachine,
  watches: () => [
    watch(namespaces),
    watch(serviceAccounts, {
      keys: ({ metadata }) => (ACCOUNTS.includes(metadata?.name ?? '') ? [metadata?.namespace ?? ''] : []),
    }),
  ],
  effects: createEffects,
});

function createEffects({ client, informers, scheme }: ControllerContext): Effects {
  const namespaceStore = informers.of(namespaces).store;
  const accountStore = informers.of(serviceAccounts).store;
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedNamespace | null> =>
      isActive(namespaceStore.get(key))
        ? { missing: ACCOUNTS.filter((name) => accountStore.get(`${key}/${name}`) === undefined) }
        : null,

    create: async ({ namespace, name }: CreateInput, signal: AbortSignal): Promise<void> => {
      const account = { metadata: { name, namespace }, ...scheme.typeMetaOf(serviceAccounts) };
      try {
        await client.namespaced(serviceAccounts, namespace).create(account, { signal });
      } catch (thrown) {
        if (!isAlreadyExists(thrown) && !isNamespaceEnding(thrown)) throw thrown;
      }
    },
  };
}

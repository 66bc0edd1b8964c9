import { secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type {
  AccountIdentity,
  ObservedTokenSecret,
} from '../../machines/serviceaccount-token/service-account-token.ts';
import type { ControllerContext, Store } from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import type { DeletedTokens } from './deleted-tokens.ts';
import { accountOfKey, generatedPrefix, isGeneratedFor } from './generated-name.ts';

/** Caches and settings from which the state of a token Secret is observed. */
export interface TokenStores {
  readonly tokens: Store<Secret>;
  /** ServiceAccounts with the index `secret`, the keys of the Secrets that a ServiceAccount names. */
  readonly accounts: Store<ServiceAccount>;
  /** True if a token Secret is generated for every ServiceAccount. */
  readonly areGenerated: boolean;
  readonly deleted: DeletedTokens;
  readonly authority: () => AuthorityData;
}

/**
 * Data of a token Secret with which its user verifies the API server, in base64; empty if the CA is unknown.
 */
export type AuthorityData = { readonly 'ca.crt'?: string };

/** True if a Secret is a token of the ServiceAccount with this uid. */
export const isTokenOf = (
  secret: DeepReadonly<Secret> | undefined,
  uid: string,
  { secretTypes, serviceAccountUid }: Vocabulary,
): secret is DeepReadonly<Secret> =>
  secret?.type === secretTypes.serviceAccountToken &&
  secret.metadata?.annotations?.[serviceAccountUid] === uid;

/** Returns a string in base64. */
export const encoded = (value: string): string => Buffer.from(value).toString('base64');

/** Creates the effect that observes a token Secret and its ServiceAccount. */
export function createObserve(
  { client, scheme }: ControllerContext,
  { tokens, accounts, areGenerated, deleted, authority }: TokenStores,
): (input: { key: string }, signal: AbortSignal) => Promise<ObservedTokenSecret> {
  const { vocabulary } = scheme;

  /**
   * Returns the ServiceAccount of a Secret. If the cache lacks it, reads the API, because a stale cache
   * proves nothing.
   */
  const accountOf = async (
    secret: DeepReadonly<Secret>,
    signal: AbortSignal,
  ): Promise<AccountIdentity | undefined> => {
    const { namespace = '', annotations } = secret.metadata ?? {};
    const name = annotations?.[vocabulary.serviceAccountName] ?? '';
    const wanted = annotations?.[vocabulary.serviceAccountUid];
    const suits = (account: DeepReadonly<ServiceAccount> | undefined): AccountIdentity | undefined => {
      const uid = account?.metadata?.uid;
      return uid !== undefined && (wanted === undefined || wanted === uid) ? { name, uid } : undefined;
    };
    const cached = suits(accounts.get(`${namespace}/${name}`));
    if (cached) return cached;
    return client.namespaced(serviceAccounts, namespace).get(name, { signal }).then(suits, unlessNotFound);
  };

  const observe = async ({ key }: { key: string }, signal: AbortSignal): Promise<ObservedTokenSecret> => {
    const accountKey = accountOfKey(key);
    if (accountKey !== undefined) {
      const needy = needyAccount(accountKey);
      return needy ? { state: 'wanted', account: needy } : { state: 'current' };
    }
    const secret = tokens.get(key);
    if (!secret) return observeDeleted(key, signal);
    const { uid = '', resourceVersion = '', annotations, deletionTimestamp } = secret.metadata ?? {};
    if (deletionTimestamp !== undefined || !annotations?.[vocabulary.serviceAccountName])
      return { state: 'current' };
    const account = await accountOf(secret, signal);
    if (!account) return { state: 'orphaned', uid, resourceVersion };
    const filled =
      Boolean(secret.data?.['token']) &&
      Boolean(secret.data?.['namespace']) &&
      Object.entries(authority()).every(([field, value]) => secret.data?.[field] === value) &&
      annotations[vocabulary.serviceAccountUid] === account.uid;
    if (!filled) return { state: 'unfilled', uid, resourceVersion, account };
    return isDuplicate(secret, account)
      ? { state: 'duplicate', uid, resourceVersion, account }
      : { state: 'current' };
  };

  /** True if the Secret was generated and its ServiceAccount refers to another generated token instead. */
  const isDuplicate = (secret: DeepReadonly<Secret>, { name, uid }: AccountIdentity): boolean => {
    const { namespace = '', name: own } = secret.metadata ?? {};
    const account = accounts.get(`${namespace}/${name}`);
    const named = account?.metadata?.uid === uid ? (account.secrets ?? []) : [];
    if (!account || named.length === 0 || named.some((each) => each.name === own)) return false;
    return (
      isGeneratedFor(account, secret) &&
      named.some((each) => {
        const other = tokens.get(`${namespace}/${each.name ?? ''}`);
        return isTokenOf(other, uid, vocabulary) && isGeneratedFor(account, other);
      })
    );
  };

  /** Returns the ServiceAccount if it exists, must have a generated token and names no token. */
  const needyAccount = (accountKey: string): AccountIdentity | undefined => {
    const account = accounts.get(accountKey);
    const { name = '', namespace = '', uid = '', deletionTimestamp } = account?.metadata ?? {};
    if (!areGenerated || !account || deletionTimestamp !== undefined) return undefined;
    const has = (account.secrets ?? []).some((each) =>
      isTokenOf(tokens.get(`${namespace}/${each.name ?? ''}`), uid, vocabulary),
    );
    return has ? undefined : { name, uid };
  };

  /**
   * Returns the ServiceAccounts whose reference to a deleted Secret must be removed. The name of the Secret
   * has the form of a generated name, or the Secret was observed as a token of the ServiceAccount. Other
   * references belong to users, who may create the Secret later.
   */
  const observeDeleted = async (key: string, signal: AbortSignal): Promise<ObservedTokenSecret> => {
    const { namespace, name } = splitKey(key);
    const naming = accounts
      .byIndex('secret', key)
      .filter(
        (account) =>
          name.startsWith(generatedPrefix(account.metadata?.name ?? '')) || deleted.was(key, account),
      );
    if (naming.length === 0) {
      deleted.forget(key);
      return { state: 'current' };
    }
    const exists = await client
      .namespaced(secrets, namespace)
      .get(name, { signal })
      .then(
        () => true,
        (thrown: unknown) => {
          if (isNotFound(thrown)) return false;
          throw thrown;
        },
      );
    if (exists) return { state: 'current' };
    return {
      state: 'dangling',
      accounts: naming.map(({ metadata }) => ({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' })),
    };
  };

  return observe;
}

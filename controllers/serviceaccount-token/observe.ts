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
import type { GoneTokens } from './gone-tokens.ts';
import { accountOfKey, generatedPrefix, isGeneratedFor } from './generated-name.ts';

export interface TokenStores {
  readonly tokens: Store<Secret>;
  /** With an index `secret`: the keys of the Secrets an account names. */
  readonly accounts: Store<ServiceAccount>;
  /** Whether every account gets a token Secret of its own. */
  readonly areGenerated: boolean;
  readonly gone: GoneTokens;
  readonly authority: () => AuthorityData;
}

/** Data of a token Secret by which its user verifies the API server, in base64; empty if the authority is unknown. */
export type AuthorityData = { readonly 'ca.crt'?: string };

/** A token Secret that is for the account with this uid. */
export const isTokenOf = (
  secret: DeepReadonly<Secret> | undefined,
  uid: string,
  { secretTypes, serviceAccountUid }: Vocabulary,
): secret is DeepReadonly<Secret> =>
  secret?.type === secretTypes.serviceAccountToken &&
  secret.metadata?.annotations?.[serviceAccountUid] === uid;

export const encoded = (value: string): string => Buffer.from(value).toString('base64');

/** Tells the state of a token Secret and of the account it is for. */
export function createObserve(
  { client, scheme }: ControllerContext,
  { tokens, accounts, areGenerated, gone, authority }: TokenStores,
): (input: { key: string }, signal: AbortSignal) => Promise<ObservedTokenSecret> {
  const { vocabulary } = scheme;

  /** The account a Secret is for. A cache that does not know it proves nothing: the API is asked. */
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
    return client
      .namespaced(serviceAccounts, namespace)
      .get(name, { signal })
      .then(suits, (thrown: unknown) => {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      });
  };

  const observe = async ({ key }: { key: string }, signal: AbortSignal): Promise<ObservedTokenSecret> => {
    const accountKey = accountOfKey(key);
    if (accountKey !== undefined) {
      const needy = needyAccount(accountKey);
      return needy ? { state: 'wanted', account: needy } : { state: 'current' };
    }
    const secret = tokens.get(key);
    if (!secret) return observeGone(key, signal);
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

  /** True if the Secret was generated and the account refers to another generated token in place of it. */
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

  /** The account, if it lives, is to have a token and names none of its own. */
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
   * References of the form of generated token Secrets are dropped, and those to what was seen as a token of the account.
   * Others are somebody's own, and their Secret may be yet to come.
   */
  const observeGone = async (key: string, signal: AbortSignal): Promise<ObservedTokenSecret> => {
    const { namespace, name } = splitKey(key);
    const naming = accounts
      .byIndex('secret', key)
      .filter(
        (account) => name.startsWith(generatedPrefix(account.metadata?.name ?? '')) || gone.was(key, account),
      );
    if (naming.length === 0) {
      gone.forget(key);
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

import { secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Secret, ServiceAccount } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import {
  type Commit,
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';

type Token = DeepReadonly<Secret>;

const CONTROLLER = 'serviceaccount-token';
const OWN_KEYS = ['token', 'ca.crt', 'namespace'];

/** Returns the claims of the token in a Secret; undefined if there is no token. */
function claimsOf({ data }: Token): string | undefined {
  const text = Buffer.from(data?.['token'] ?? '', 'base64').toString();
  const [, claims] = text.split('.');
  return claims === undefined ? undefined : Buffer.from(claims, 'base64url').toString();
}

/** Creates look-ups of token Secrets and their ServiceAccounts. */
function lookupBy(vocabulary: Vocabulary) {
  const { serviceAccountName, serviceAccountUid, secretTypes } = vocabulary;
  const isToken = ({ type }: Token): boolean => type === secretTypes.serviceAccountToken;
  const accountOf = (secret: Token, live: LiveView) => {
    const { namespace = '', annotations = {} } = secret.metadata ?? {};
    const account = liveObject(live, serviceAccounts, namespace, annotations[serviceAccountName] ?? '');
    const uid = annotations[serviceAccountUid];
    return account && (uid === undefined || uid === account.metadata?.uid) ? account : undefined;
  };
  /** True if the account does not exist, or names other Secrets but not this one. */
  const isUnneeded = (secret: Token, live: LiveView, account = accountOf(secret, live)): boolean => {
    const named = (account?.secrets ?? []).map(({ name = '' }) => name);
    return (
      isToken(secret) && (!account || (named.length > 0 && !named.includes(secret.metadata?.name ?? '')))
    );
  };
  return { isToken, accountOf, isUnneeded, serviceAccountName, serviceAccountUid };
}
type Lookup = ReturnType<typeof lookupBy>;

const onWrite = (
  id: string,
  says: string,
  judge: (before: Token, after: Token, live: LiveView, commit: Commit) => string | undefined,
): Invariant =>
  invariant({
    id,
    says,
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      const before = objectOf(commit, secrets, 'before');
      const after = objectOf(commit, secrets, 'after');
      if (commit.actor !== CONTROLLER || !before || !after) return verdict(state, false);
      return verdict(state, true, judge(before, after, live, commit));
    },
  });

const nevers = ({ accountOf, isUnneeded, serviceAccountUid }: Lookup): readonly Invariant[] => [
  invariant<readonly string[]>({
    id: 'serviceaccount-token/no-needed-token-deleted',
    says: 'deletes only token Secrets whose account at some time was missing or referred to another one',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(unneeded, commit, live) {
      if (!isOf(commit, secrets) && !isOf(commit, serviceAccounts)) return verdict(unneeded, false);
      const secret = objectOf(commit, secrets, 'before');
      const before = objectOf(commit, serviceAccounts, 'before');
      const wasUnneeded = (each: Token): boolean =>
        before !== undefined &&
        each.metadata?.annotations?.[serviceAccountUid] === before.metadata?.uid &&
        isUnneeded(each, live, before);
      // An account may change after the controller's check, so Secrets that were unneeded at any time may be
      // deleted.
      const known = liveObjects(live, secrets)
        .filter(
          (each) =>
            unneeded.includes(each.metadata?.uid ?? '') || isUnneeded(each, live) || wasUnneeded(each),
        )
        .map(({ metadata }) => metadata?.uid ?? '')
        .sort();
      if (commit.actor !== CONTROLLER || commit.verb !== 'delete') return verdict(known, false);
      const was = secret !== undefined && (unneeded.includes(commit.uid) || isUnneeded(secret, live));
      return verdict(known, true, was ? undefined : `deleted ${commit.name}, whose account exists`);
    },
  }),
  onWrite(
    'serviceaccount-token/token-of-its-account',
    'a token is issued for the account of its Secret',
    (_before, after, _live, { name }) => {
      const uid = after.metadata?.annotations?.[serviceAccountUid] ?? '';
      const claims = claimsOf(after);
      return claims === undefined || claims.includes(uid)
        ? undefined
        : `the token in ${name} was issued for another account`;
    },
  ),
  onWrite(
    'serviceaccount-token/no-token-replaced',
    'never replaces an existing token',
    (before, after, _live, { name }) => {
      const had = before.data?.['token'];
      return had && after.data?.['token'] !== had ? `replaced the token in ${name}` : undefined;
    },
  ),
  onWrite(
    'serviceaccount-token/no-foreign-data-lost',
    'keeps foreign data in a Secret',
    (before, after, _live, { name }) => {
      const lost = Object.entries(before.data ?? {}).find(
        ([key, value]) => !OWN_KEYS.includes(key) && after.data?.[key] !== value,
      );
      return lost && `dropped ${lost[0]} of ${name}`;
    },
  ),
  invariant({
    id: 'serviceaccount-token/no-named-token-deleted',
    says: 'never deletes a token Secret that its account refers to',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      const secret = objectOf(commit, secrets, 'before');
      if (commit.actor !== CONTROLLER || commit.verb !== 'delete' || !secret) return verdict(state, false);
      const isNamed = accountOf(secret, live)?.secrets?.some(({ name }) => name === commit.name);
      return verdict(
        state,
        true,
        isNamed ? `deleted ${commit.name}, which its account refers to` : undefined,
      );
    },
  }),
];

/** Returns the invariants of a controller that generates a token for every account. */
const ofGenerated = ({ isToken, serviceAccountUid }: Lookup): readonly Invariant[] => [
  invariant({
    id: 'serviceaccount-token/every-account-has-token',
    says: 'every account refers to its own token Secret',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const own = liveObjects(live, serviceAccounts).filter(
        ({ metadata }) => metadata?.deletionTimestamp === undefined,
      );
      const without = own.find(
        ({ metadata, secrets: named = [] }) =>
          !named.some(({ name = '' }) => {
            const secret = liveObject(live, secrets, metadata?.namespace ?? '', name);
            return (
              secret !== undefined &&
              isToken(secret) &&
              secret.metadata?.annotations?.[serviceAccountUid] === metadata?.uid
            );
          }),
      );
      return verdict(
        state,
        own.length > 0,
        without && `${without.metadata?.name ?? ''} refers to no token of its own`,
      );
    },
  }),
  invariant<readonly string[]>({
    id: 'serviceaccount-token/no-second-generated-token',
    says: 'no account has two generated tokens',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => [],
    onCommit(generated, commit, live) {
      const secret = objectOf(commit, secrets, 'after');
      const isNew = commit.actor === CONTROLLER && commit.verb === 'create' && secret && isToken(secret);
      if (!isNew && (generated.length === 0 || !isOf(commit, secrets))) return verdict(generated, false);
      const known = new Set(liveObjects(live, secrets).map(({ metadata }) => metadata?.uid));
      const all = isNew ? [...generated, commit.uid] : generated;
      return verdict(all.filter((uid) => known.has(uid)).sort(), false);
    },
    atRest(generated, live) {
      const accounts = liveObjects(live, secrets)
        .filter(({ metadata }) => generated.includes(metadata?.uid ?? ''))
        .map(({ metadata }) => metadata?.annotations?.[serviceAccountUid] ?? '');
      const twice = accounts.find((uid, at) => accounts.indexOf(uid) !== at);
      return verdict(generated, accounts.length > 0, twice && `account ${twice} has two generated tokens`);
    },
  }),
];

/** Returns the invariants about accounts for which two processes have each generated a token. */
const ofDuplicated = ({ isToken, serviceAccountUid }: Lookup): readonly Invariant[] => [
  invariant({
    id: 'serviceaccount-token/one-of-two-left',
    says: 'of two generated tokens of an account one is left',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const uids = liveObjects(live, secrets)
        .filter(isToken)
        .map(({ metadata }) => metadata?.annotations?.[serviceAccountUid] ?? '');
      const twice = uids.find((uid, at) => uids.indexOf(uid) !== at);
      return verdict(state, uids.length > 0, twice && `account ${twice} has two tokens`);
    },
  }),
];

/**
 * Returns the invariants about Secrets with the certificate of a former authority. `rootCa` is the current
 * certificate in base64.
 */
const ofRotation = ({ isToken, accountOf }: Lookup, rootCa: string): readonly Invariant[] => [
  invariant({
    id: 'serviceaccount-token/current-certificate',
    says: 'a token Secret gets the certificate of the current authority after a rotation',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const mine = liveObjects(live, secrets).filter((each) => isToken(each) && accountOf(each, live));
      const outdated = mine.find(({ data }) => data?.['ca.crt'] !== rootCa);
      return verdict(
        state,
        mine.length > 0,
        outdated && `${outdated.metadata?.name ?? ''} has the certificate of another authority`,
      );
    },
  }),
];

/** Returns the names of the Secrets of an account that have the form of generated names. */
const generatedOf = ({ metadata, secrets: named = [] }: DeepReadonly<ServiceAccount>): readonly string[] =>
  named.flatMap(({ name = '' }) => (name.startsWith(`${metadata?.name ?? ''}-token-`) ? [name] : []));

const eventuallies = (lookup: Lookup, areGenerated: boolean): readonly Invariant[] => {
  const { isToken, accountOf, serviceAccountName, serviceAccountUid } = lookup;
  return [
    invariant({
      id: 'serviceaccount-token/token-is-filled',
      says: 'a token Secret of an existing account gets token, CA and namespace',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      atRest(state, live) {
        const mine = liveObjects(live, secrets).filter((each) => isToken(each) && accountOf(each, live));
        const bare = mine.find(({ data }) => OWN_KEYS.some((key) => !data?.[key]));
        return verdict(state, mine.length > 0, bare && `${bare.metadata?.name ?? ''} is not filled`);
      },
    }),
    ...(areGenerated ? ofGenerated(lookup) : []),
    invariant({
      id: 'serviceaccount-token/no-orphaned-token',
      says: 'the token Secrets of a deleted account are deleted',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      onCommit(state, commit, live) {
        const secret = objectOf(commit, secrets, 'before');
        const isDeletion = commit.actor === CONTROLLER && commit.verb === 'delete';
        return verdict(
          state,
          isDeletion && secret !== undefined && isToken(secret) && !accountOf(secret, live),
        );
      },
      atRest(state, live) {
        const tokens = liveObjects(live, secrets).filter(isToken);
        const orphan = tokens.find(
          (each) => each.metadata?.annotations?.[serviceAccountName] && !accountOf(each, live),
        );
        return verdict(
          state,
          orphan !== undefined,
          orphan && `${orphan.metadata?.name ?? ''} is for a deleted account`,
        );
      },
    }),
    invariant<readonly string[]>({
      id: 'serviceaccount-token/no-token-of-old-account',
      says: 'a recreated account does not keep the tokens of the previous one',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => [],
      onCommit(gone, commit) {
        const account = objectOf(commit, serviceAccounts, 'before');
        if (!account || commit.after) return verdict(gone, false);
        return verdict([...new Set([...gone, commit.uid])].sort(), false);
      },
      atRest(gone, live) {
        if (gone.length === 0) return verdict(gone, false);
        const left = liveObjects(live, secrets).find(
          (each) =>
            isToken(each) &&
            each.data?.['token'] &&
            gone.includes(each.metadata?.annotations?.[serviceAccountUid] ?? ''),
        );
        return verdict(gone, true, left && `${left.metadata?.name ?? ''} has a token of a deleted account`);
      },
    }),
    invariant({
      id: 'serviceaccount-token/no-dangling-reference',
      says: 'no account refers to a deleted generated token Secret',
      controller: CONTROLLER,
      kind: 'eventually',
      // A namespace that was deleted because of a stale list leaves accounts behind. No client can change
      // them until the namespace is recreated.
      unless: 'stale-list',
      initial: () => null,
      onCommit(state, commit, live) {
        const before = objectOf(commit, serviceAccounts, 'before');
        const after = objectOf(commit, serviceAccounts, 'after');
        if (commit.actor !== CONTROLLER || !before || !after) return verdict(state, false);
        const kept = (after.secrets ?? []).map(({ name }) => name);
        const dropped = generatedOf(before).filter((name) => !kept.includes(name));
        return verdict(
          state,
          dropped.some((name) => !liveObject(live, secrets, commit.namespace, name)),
        );
      },
      atRest(state, live) {
        let reached = false;
        for (const account of liveObjects(live, serviceAccounts)) {
          const { name = '', namespace = '' } = account.metadata ?? {};
          const named = generatedOf(account);
          const dangling = named.find((secret) => !liveObject(live, secrets, namespace, secret));
          if (dangling) return verdict(state, true, `${name} refers to ${dangling}, which was deleted`);
          reached ||= named.length > 0;
        }
        return verdict(state, reached);
      },
    }),
  ];
};

/**
 * Returns the invariants about the token Secrets of ServiceAccounts.
 * - `areGenerated`: true if every account gets a token.
 * - `areDuplicated`: true if some accounts have two tokens at the start.
 * - `rootCa`: PEM of the current authority after a rotation. If undefined, the certificate is not checked.
 */
export function serviceAccountTokenInvariants(
  vocabulary: Vocabulary,
  {
    areGenerated = false,
    areDuplicated = false,
    rootCa,
  }: { readonly areGenerated?: boolean; readonly areDuplicated?: boolean; readonly rootCa?: string } = {},
): readonly Invariant[] {
  const lookup = lookupBy(vocabulary);
  const encodedCa = rootCa === undefined ? undefined : Buffer.from(rootCa).toString('base64');
  return [
    ...nevers(lookup),
    ...eventuallies(lookup, areGenerated),
    ...(areDuplicated ? ofDuplicated(lookup) : []),
    ...(encodedCa === undefined ? [] : ofRotation(lookup, encodedCa)),
  ];
}

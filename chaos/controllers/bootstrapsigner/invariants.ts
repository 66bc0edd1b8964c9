import { createHmac } from 'node:crypto';
import { writeJson } from '../../../api/schema/index.ts';
import { configMaps, secrets } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { ConfigMap, Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';
import { expiryOf } from '../../invariants/bootstrap-tokens.ts';

const CONTROLLER = 'bootstrapsigner';
const PREFIX = 'jws-kubeconfig-';
/**
 * Time in milliseconds before its expiry from which a token may count as expired, because API times have
 * whole seconds.
 */
const REACTION_MS = 10_000;

const textOf = (secret: DeepReadonly<Secret>, key: string): string =>
  Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
const signaturesOf = (info: DeepReadonly<ConfigMap> | undefined): readonly (readonly [string, string])[] =>
  Object.entries(info?.data ?? {}).filter(([key]) => key.startsWith(PREFIX));
const othersOf = (info: DeepReadonly<ConfigMap>): string =>
  JSON.stringify(
    Object.entries(info.data ?? {})
      .filter(([key]) => !key.startsWith(PREFIX))
      .sort(),
  );

/** Creates look-ups of tokens and of the ConfigMap that is signed with them. */
function lookupBy(vocabulary: Vocabulary) {
  const { namespaces, secretTypes } = vocabulary;
  const infoIn = (live: LiveView) => liveObject(live, configMaps, namespaces.public, 'cluster-info');
  const isToken = ({ type }: DeepReadonly<Secret>): boolean => type === secretTypes.bootstrapToken;
  const isValid = (secret: DeepReadonly<Secret>, nowMs: number): boolean =>
    isToken(secret) &&
    secret.metadata?.name === `bootstrap-token-${textOf(secret, 'token-id')}` &&
    secret.metadata.deletionTimestamp === undefined &&
    textOf(secret, 'token-secret') !== '' &&
    textOf(secret, 'usage-bootstrap-signing') === 'true' &&
    (expiryOf(secret) ?? Infinity) > nowMs;
  const tokensIn = (live: LiveView) => liveObjects(live, secrets, namespaces.system);
  const validIn = (live: LiveView) => tokensIn(live).filter((secret) => isValid(secret, live.nowMs));
  const verifies = (signature: string, payload: string, secret: DeepReadonly<Secret>): boolean => {
    const [header = '', , mac = ''] = signature.split('.');
    const [id, value] = [textOf(secret, 'token-id'), textOf(secret, 'token-secret')];
    const key = vocabulary.bootstrapSignatureKey === 'token' ? `${id}.${value}` : value;
    const wanted = createHmac('sha256', key)
      .update(`${header}.${Buffer.from(payload).toString('base64url')}`)
      .digest('base64url');
    return mac === wanted;
  };
  return { infoIn, isValid, isToken, tokensIn, validIn, verifies };
}
type Lookup = ReturnType<typeof lookupBy>;

const nevers = ({ isValid, tokensIn, validIn }: Lookup): readonly Invariant[] => [
  invariant<readonly string[]>({
    id: 'bootstrapsigner/no-signature-without-token',
    says: 'never signs for a token that never existed',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => [],
    onCommit(valid, commit, live) {
      // Valid tokens change only with Secrets; the passage of time can only make tokens invalid.
      const isNews = valid.length === 0 || isOf(commit, secrets) || isOf(commit, configMaps);
      if (!isNews) return verdict(valid, false);
      const was = objectOf(commit, secrets, 'before');
      const there = [...validIn(live), ...(was ? [was] : [])].filter((each) => isValid(each, 0));
      const known = [
        ...new Set([...valid, ...there.map((secret) => PREFIX + textOf(secret, 'token-id'))]),
      ].sort();
      const after = objectOf(commit, configMaps, 'after');
      if (commit.actor !== CONTROLLER || !after) return verdict(known, false);
      const had = signaturesOf(objectOf(commit, configMaps, 'before')).map(([key]) => key);
      const wrong = signaturesOf(after).find(([key]) => !known.includes(key) && !had.includes(key));
      return verdict(known, true, wrong && `signed ${wrong[0]} without a token`);
    },
  }),
  invariant({
    id: 'bootstrapsigner/no-foreign-change',
    says: 'changes only signatures, never the signed data or foreign data',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const before = objectOf(commit, configMaps, 'before');
      const after = objectOf(commit, configMaps, 'after');
      if (commit.actor !== CONTROLLER) return verdict(state, false);
      const isFit = before !== undefined && after !== undefined && othersOf(before) === othersOf(after);
      return verdict(state, true, isFit ? undefined : `changed more of ${commit.name} than signatures`);
    },
  }),
  invariant<readonly string[]>({
    id: 'bootstrapsigner/no-lost-signature',
    says: 'removes no signature of an unchanged token',
    controller: CONTROLLER,
    kind: 'never',
    // If the server clock is set back, an expired token becomes valid again. A stale list may lack tokens.
    unless: ['api-clock-forward', 'stale-list'],
    initial: () => [],
    onCommit(changed, commit, live) {
      const was = objectOf(commit, secrets, 'before');
      if (was) return verdict([...new Set([...changed, commit.name])].sort(), false);
      const before = objectOf(commit, configMaps, 'before');
      const after = objectOf(commit, configMaps, 'after');
      if (commit.actor !== CONTROLLER || !before || !after) return verdict(changed, false);
      const kept = signaturesOf(after).map(([key]) => key);
      const taken = signaturesOf(before).flatMap(([key]) => (kept.includes(key) ? [] : [key]));
      const wrong = tokensIn(live).find(
        (secret) =>
          taken.includes(PREFIX + textOf(secret, 'token-id')) &&
          !changed.includes(secret.metadata?.name ?? '') &&
          isValid(secret, live.nowMs + REACTION_MS),
      );
      return verdict(
        changed,
        taken.length > 0,
        wrong && `removed the signature of ${wrong.metadata?.name ?? ''}, which is unchanged`,
      );
    },
  }),
  invariant({
    id: 'bootstrapsigner/no-leaked-token',
    says: 'never writes the secret part of a token',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit, live) {
      if (commit.actor !== CONTROLLER) return verdict(state, false);
      const written = writeJson(commit.after ?? {});
      const secret = tokensIn(live)
        .map((each) => textOf(each, 'token-secret'))
        .find((text) => text !== '' && written.includes(text));
      return verdict(state, true, secret === undefined ? undefined : `${commit.name} holds a secret`);
    },
  }),
];

const eventuallies = ({
  infoIn,
  isValid,
  isToken,
  tokensIn,
  validIn,
  verifies,
}: Lookup): readonly Invariant[] => [
  invariant({
    id: 'bootstrapsigner/valid-signatures',
    says: 'every signature is valid for its token and the current data',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const info = infoIn(live);
      const payload = info?.data?.['kubeconfig'];
      if (payload === undefined) return verdict(state, false);
      const tokens = validIn(live);
      const wrong = signaturesOf(info).find(
        ([key, signature]) =>
          !tokens.some(
            (secret) => key === PREFIX + textOf(secret, 'token-id') && verifies(signature, payload, secret),
          ),
      );
      return verdict(state, true, wrong && `${wrong[0]} does not verify`);
    },
  }),
  invariant({
    id: 'bootstrapsigner/every-token-signs',
    says: 'every token that may sign has signed',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const info = infoIn(live);
      if (info?.data?.['kubeconfig'] === undefined) return verdict(state, false);
      const signed = signaturesOf(info).map(([key]) => key);
      const tokens = validIn(live).map((secret) => PREFIX + textOf(secret, 'token-id'));
      const missing = tokens.find((key) => !signed.includes(key));
      return verdict(state, tokens.length > 0, missing && `${missing} is missing`);
    },
  }),
  invariant({
    id: 'bootstrapsigner/no-unpermitted-signature',
    says: 'no token without the permission to sign has a signature',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const signed = signaturesOf(infoIn(live)).map(([key]) => key);
      const unfit = tokensIn(live).filter((secret) => isToken(secret) && !isValid(secret, live.nowMs));
      const wrong = unfit.find((secret) => signed.includes(PREFIX + textOf(secret, 'token-id')));
      return verdict(
        state,
        unfit.length > 0,
        wrong && `${wrong.metadata?.name ?? ''} may not sign but has a signature`,
      );
    },
  }),
];

/** Invariants about the signatures in the cluster-info ConfigMap. */
export function bootstrapSignerInvariants(vocabulary: Vocabulary): readonly Invariant[] {
  const lookup = lookupBy(vocabulary);
  return [...nevers(lookup), ...eventuallies(lookup)];
}

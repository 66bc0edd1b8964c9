import { createHmac } from 'node:crypto';
import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObject,
  liveObjects,
  objectOf,
  verdict,
} from './invariant.ts';
import { expiryOf } from './tokencleaner.ts';

const CONTROLLER = 'bootstrapsigner';
const PREFIX = 'jws-kubeconfig-';

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

/** Which signatures stand on the cluster-info ConfigMap. */
export function bootstrapSignerInvariants(vocabulary: Vocabulary): readonly Invariant[] {
  const { namespaces, secretTypes } = vocabulary;
  const infoIn = (live: LiveView) => liveObject(live, configMaps, namespaces.public, 'cluster-info');
  const isValid = (secret: DeepReadonly<Secret>, nowMs: number): boolean =>
    secret.type === secretTypes.bootstrapToken &&
    secret.metadata?.name === `bootstrap-token-${textOf(secret, 'token-id')}` &&
    secret.metadata.deletionTimestamp === undefined &&
    textOf(secret, 'usage-bootstrap-signing') === 'true' &&
    (expiryOf(secret) ?? Infinity) > nowMs;
  const validIn = (live: LiveView) =>
    liveObjects(live, secrets, namespaces.system).filter((secret) => isValid(secret, live.nowMs));
  const verifies = (signature: string, payload: string, secret: DeepReadonly<Secret>): boolean => {
    const [header = '', , mac = ''] = signature.split('.');
    const [id, value] = [textOf(secret, 'token-id'), textOf(secret, 'token-secret')];
    const key = vocabulary.bootstrapSignatureKey === 'token' ? `${id}.${value}` : value;
    const wanted = createHmac('sha256', key)
      .update(`${header}.${Buffer.from(payload).toString('base64url')}`)
      .digest('base64url');
    return mac === wanted;
  };
  return [
    invariant<readonly string[]>({
      id: 'bootstrapsigner/N2',
      says: 'never signs for a token that never was one',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => [],
      onCommit(valid, commit, live) {
        // Which tokens there are changes with Secrets alone, and time only takes from them.
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
        return verdict(known, true, wrong && `signed ${wrong[0]}, for which there was no token`);
      },
    }),
    invariant({
      id: 'bootstrapsigner/N3',
      says: 'changes signatures alone, never what is signed or what others have put there',
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
    invariant({
      id: 'bootstrapsigner/N5',
      says: 'never writes the secret part of a token',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        if (commit.actor !== CONTROLLER) return verdict(state, false);
        const written = JSON.stringify(commit.after ?? {});
        const secret = liveObjects(live, secrets, namespaces.system)
          .map((each) => textOf(each, 'token-secret'))
          .find((text) => text !== '' && written.includes(text));
        return verdict(state, true, secret === undefined ? undefined : `${commit.name} holds a secret`);
      },
    }),
    invariant({
      id: 'bootstrapsigner/N1',
      says: 'every signature verifies with its token over what is there',
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
      id: 'bootstrapsigner/E1',
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
  ];
}

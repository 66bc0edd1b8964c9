import { pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Secret } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fromTime } from '../../base/clock/clock.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObjects,
  objectOf,
  verdict,
} from './invariant.ts';

const CONTROLLER = 'legacy-service-account-token-cleaner';
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** A pod that is younger may have come after it was looked whether there is one. */
const FRESH_MS = 60_000;
/** How long it may take, once it has been asked what day it is, until a mark is written. */
const LATE_MS = 15 * 60_000;

const mountedBy = ({ spec }: DeepReadonly<Pod>, secret: string): boolean =>
  (spec?.volumes ?? []).some((volume) => volume.secret?.secretName === secret);

/** The pods that have a token and were made before a time. */
const podsOf = (live: LiveView, { metadata }: DeepReadonly<Secret>, beforeMs: number) =>
  liveObjects(live, pods, metadata?.namespace).filter(
    (pod) =>
      mountedBy(pod, metadata?.name ?? '') && (fromTime(pod.metadata?.creationTimestamp) ?? 0) <= beforeMs,
  );

/** When tokens that nobody uses are marked, and when they go. */
export function legacyTokenCleanerInvariants(vocabulary: Vocabulary): readonly Invariant[] {
  const dayOf = (secret: DeepReadonly<Secret> | undefined, label: string): number =>
    fromTime(`${secret?.metadata?.labels?.[vocabulary.key('', label)] ?? 'never'}T00:00:00Z`) ?? -Infinity;
  const isMarked = (secret: DeepReadonly<Secret>): boolean =>
    dayOf(secret, 'legacy-token-invalid-since') > -Infinity;
  /** The end of the period that begins with the day of a label. */
  const endOf = (secret: DeepReadonly<Secret>, label: string): number =>
    dayOf(secret, label) + DAY_MS + YEAR_MS;
  const isGenerated = (live: LiveView, { metadata }: DeepReadonly<Secret>): boolean =>
    liveObjects(live, serviceAccounts, metadata?.namespace).some((account) =>
      (account.secrets ?? []).some(({ name }) => name === metadata?.name),
    );
  return [
    invariant({
      id: `${CONTROLLER}/N1`,
      says: 'deletes no token that has not been marked for the whole of its period',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        const token = objectOf(commit, secrets, 'before');
        if (commit.actor !== CONTROLLER || commit.after || !token) return verdict(state, false);
        const isDue = isMarked(token) && endOf(token, 'legacy-token-invalid-since') <= live.nowMs;
        return verdict(state, true, isDue ? undefined : `${commit.name} was deleted before its time`);
      },
    }),
    invariant({
      id: `${CONTROLLER}/N2`,
      says: 'marks and deletes no token that was used within its period, or that a pod has',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        const token = objectOf(commit, secrets, 'before');
        if (commit.actor !== CONTROLLER || !token) return verdict(state, false);
        if (endOf(token, 'legacy-token-last-used') > live.nowMs)
          return verdict(state, true, `${commit.name} is in use`);
        const [pod] = commit.after ? [] : podsOf(live, token, live.nowMs - FRESH_MS);
        return verdict(state, true, pod && `${pod.metadata?.name ?? ''} has ${commit.name}`);
      },
    }),
    invariant({
      id: `${CONTROLLER}/N3`,
      says: 'touches generated tokens alone',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit) {
        if (commit.actor !== CONTROLLER) return verdict(state, false);
        const token = objectOf(commit, secrets, 'before');
        const isToken = isOf(commit, secrets) && token?.type === vocabulary.secretTypes.serviceAccountToken;
        return verdict(
          state,
          true,
          isToken ? undefined : `${commit.verb} of ${commit.resource} ${commit.name}`,
        );
      },
    }),
    invariant({
      id: `${CONTROLLER}/N4`,
      says: 'marks tokens with the day that it is',
      controller: CONTROLLER,
      kind: 'never',
      unless: 'api-clock-forward',
      initial: () => null,
      onCommit(state, commit) {
        const token = objectOf(commit, secrets, 'after');
        if (commit.actor !== CONTROLLER || !token) return verdict(state, false);
        const beginsMs = dayOf(token, 'legacy-token-invalid-since');
        const isToday = commit.atMs >= beginsMs && commit.atMs < beginsMs + DAY_MS + LATE_MS;
        return verdict(state, true, isToday ? undefined : `${commit.name} has the mark of another day`);
      },
    }),
    invariant({
      id: `${CONTROLLER}/E1`,
      says: 'a token that was not used for its period is marked, and goes when it was marked for another',
      controller: CONTROLLER,
      kind: 'eventually',
      initial: () => null,
      atRest(state, live) {
        const idle = liveObjects(live, secrets).filter(
          (secret) =>
            secret.type === vocabulary.secretTypes.serviceAccountToken &&
            secret.metadata?.deletionTimestamp === undefined &&
            isGenerated(live, secret) &&
            podsOf(live, secret, live.nowMs).length === 0 &&
            (fromTime(secret.metadata?.creationTimestamp) ?? live.nowMs) + YEAR_MS + DAY_MS <= live.nowMs &&
            endOf(secret, 'legacy-token-last-used') <= live.nowMs,
        );
        const left = idle.find(
          (secret) => !isMarked(secret) || endOf(secret, 'legacy-token-invalid-since') <= live.nowMs,
        );
        return verdict(state, idle.length > 0, left && `${left.metadata?.name ?? ''} is still there`);
      },
    }),
  ];
}

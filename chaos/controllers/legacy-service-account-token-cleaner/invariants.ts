import { pods, secrets, serviceAccounts } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { fromTime } from '../../../base/clock/index.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  isOf,
  liveObjects,
  objectOf,
  verdict,
} from '../../invariants/invariant.ts';

const CONTROLLER = 'legacy-service-account-token-cleaner';
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** Maximum age in milliseconds of pods that may have been created after the check for pods. */
const FRESH_MS = 60_000;
/** Maximum time in milliseconds between reading the date and writing the mark. */
const LATE_MS = 15 * 60_000;

const mountedBy = ({ spec }: DeepReadonly<Pod>, secret: string): boolean =>
  (spec?.volumes ?? []).some((volume) => volume.secret?.secretName === secret);

/** Returns the pods that mount a token and were created before a time. */
const podsOf = (live: LiveView, { metadata }: DeepReadonly<Secret>, beforeMs: number) =>
  liveObjects(live, pods, metadata?.namespace).filter(
    (pod) =>
      mountedBy(pod, metadata?.name ?? '') && (fromTime(pod.metadata?.creationTimestamp) ?? 0) <= beforeMs,
  );

/** Returns the invariants about when unused tokens are marked and deleted. */
export function legacyTokenCleanerInvariants(vocabulary: Vocabulary): readonly Invariant[] {
  const dayOf = (secret: DeepReadonly<Secret> | undefined, label: string): number =>
    fromTime(`${secret?.metadata?.labels?.[vocabulary.key('', label)] ?? 'never'}T00:00:00Z`) ?? -Infinity;
  const isMarked = (secret: DeepReadonly<Secret>): boolean =>
    dayOf(secret, 'legacy-token-invalid-since') > -Infinity;
  /** Returns the end in milliseconds of the period that starts on the day of a label. */
  const endOf = (secret: DeepReadonly<Secret>, label: string): number =>
    dayOf(secret, label) + DAY_MS + YEAR_MS;
  const isGenerated = (live: LiveView, { metadata }: DeepReadonly<Secret>): boolean =>
    liveObjects(live, serviceAccounts, metadata?.namespace).some((account) =>
      (account.secrets ?? []).some(({ name }) => name === metadata?.name),
    );
  return [
    invariant({
      id: `${CONTROLLER}/no-early-deletion`,
      says: 'deletes no token before it was marked for a full period',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        const token = objectOf(commit, secrets, 'before');
        if (commit.actor !== CONTROLLER || commit.after || !token) return verdict(state, false);
        const isDue = isMarked(token) && endOf(token, 'legacy-token-invalid-since') <= live.nowMs;
        return verdict(state, true, isDue ? undefined : `${commit.name} was deleted too early`);
      },
    }),
    invariant({
      id: `${CONTROLLER}/no-used-token-marked`,
      says: 'marks and deletes no token that was recently used or that a pod mounts',
      controller: CONTROLLER,
      kind: 'never',
      initial: () => null,
      onCommit(state, commit, live) {
        const token = objectOf(commit, secrets, 'before');
        if (commit.actor !== CONTROLLER || !token) return verdict(state, false);
        if (endOf(token, 'legacy-token-last-used') > live.nowMs)
          return verdict(state, true, `${commit.name} is in use`);
        const [pod] = commit.after ? [] : podsOf(live, token, live.nowMs - FRESH_MS);
        return verdict(state, true, pod && `${pod.metadata?.name ?? ''} mounts ${commit.name}`);
      },
    }),
    invariant({
      id: `${CONTROLLER}/only-generated-tokens`,
      says: 'writes only generated tokens',
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
      id: `${CONTROLLER}/marked-with-today`,
      says: 'marks tokens with the current day',
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
      id: `${CONTROLLER}/unused-is-deleted`,
      says: 'a token unused for a period is marked, and deleted after another period',
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
        return verdict(state, idle.length > 0, left && `${left.metadata?.name ?? ''} still exists`);
      },
    }),
  ];
}

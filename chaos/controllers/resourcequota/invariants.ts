import { pods, resourceQuotas } from '../../../api/groups/index.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { equalJson } from '../../../api/schema/index.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import { fromTime } from '../../../base/clock/index.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  liveObjects,
  objectOf,
  verdict,
  withMember,
} from '../../invariants/invariant.ts';

const CONTROLLER = 'resourcequota';

const COUNTED = new Set(['/resourcequotas', '/pods', '/configmaps', '/secrets']);
/** Default recount interval of quotas plus a tolerance, in milliseconds. */
const COUNTED_AGAIN_MS = 6 * 60_000;

/** True if a quota with the scope counts the pod. Also true for scopes that no workload uses. */
function isInScope({ spec }: DeepReadonly<Pod>, scope: string): boolean {
  const isBestEffort = (spec?.containers ?? []).every(
    ({ resources }) => resources?.requests === undefined && resources?.limits === undefined,
  );
  const isTerminating = spec?.activeDeadlineSeconds !== undefined;
  const scopes: Readonly<Record<string, boolean>> = {
    Terminating: isTerminating,
    NotTerminating: !isTerminating,
    BestEffort: isBestEffort,
    NotBestEffort: !isBestEffort,
  };
  return scopes[scope] ?? true;
}

/** True if the pod should have ended after its deletion. Such pods are not counted. */
const isOverdue = ({ metadata }: DeepReadonly<Pod>, nowMs: number): boolean =>
  (fromTime(metadata?.deletionTimestamp) ?? Infinity) <= nowMs;

/**
 * Returns the current usage of a limited resource. Undefined for resources that the invariant does not count.
 */
function countOf(
  live: LiveView,
  namespace: string,
  name: string,
  scopes: readonly string[] = [],
): number | undefined {
  if (name === 'pods')
    return liveObjects(live, pods, namespace).filter(
      (pod) =>
        pod.status?.phase !== 'Succeeded' &&
        pod.status?.phase !== 'Failed' &&
        !isOverdue(pod, live.nowMs) &&
        scopes.every((scope) => isInScope(pod, scope)),
    ).length;
  const [, plural] = /^(?:count\/)?(configmaps|secrets)$/.exec(name) ?? [];
  return plural === undefined ? undefined : live.list(`/${plural}`, namespace).length;
}

/**
 * Returns the invariants about the status of quotas. @param countedAgainMs time in milliseconds, default 6
 * minutes, within which a full recount corrects charges that the controller's cache missed
 */
export const resourceQuotaInvariants = (countedAgainMs = COUNTED_AGAIN_MS): readonly Invariant[] => [
  invariant({
    id: `${CONTROLLER}/exact-limits`,
    says: 'writes exactly the limits of a quota and their usage',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const quota = objectOf(commit, resourceQuotas, 'after');
      if (commit.actor !== CONTROLLER || !quota) return verdict(state, false);
      const wanted = Object.entries(quota.spec?.hard ?? {});
      const { hard = {}, used = {} } = quota.status ?? {};
      const isTrue =
        wanted.every(([name, amount]) => hard[name] === amount && name in used) &&
        [hard, used].every((each) => Object.keys(each).length === wanted.length);
      return verdict(state, true, isTrue ? undefined : `${commit.name} does not report its limits`);
    },
  }),
  invariant({
    id: `${CONTROLLER}/no-lost-usage`,
    says: 'never reports less usage than exists for previously limited resources',
    controller: CONTROLLER,
    kind: 'never',
    // The controller counts with its own lists, and a stale list misleads it.
    unless: 'stale-list',
    initial: () => null,
    onCommit(state, commit, live) {
      const quota = objectOf(commit, resourceQuotas, 'after');
      if (commit.actor !== CONTROLLER || !quota) return verdict(state, false);
      // Objects that are created while a new limit is counted for the first time are not charged. The next
      // count includes them.
      const before = objectOf(commit, resourceQuotas, 'before')?.status?.hard ?? {};
      const limited = Object.entries(quota.status?.used ?? {}).filter(([name]) => name in before);
      const counts = limited.map(([name, amount]) => ({
        name,
        used: Number(amount),
        count: countOf(live, commit.namespace, name, quota.spec?.scopes) ?? 0,
      }));
      const low = counts.find(({ used, count }) => used < count);
      return verdict(
        state,
        counts.some(({ count }) => count > 0),
        low && `${commit.name} reports ${low.used} of ${low.count} ${low.name}`,
      );
    },
  }),
  invariant<{ readonly [namespace: string]: number }>({
    id: `${CONTROLLER}/correct-usage`,
    says: 'the reported usage is correct after a recount',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => ({}),
    onCommit: (changedMs, { resource, namespace, atMs }) =>
      verdict(COUNTED.has(resource) ? withMember(changedMs, namespace, atMs) : changedMs, false),
    atRest(state, live) {
      const counted = liveObjects(live, resourceQuotas).filter(
        ({ metadata }) => (state[metadata?.namespace ?? ''] ?? 0) <= live.nowMs - countedAgainMs,
      );
      const reported = counted.flatMap(({ metadata, spec, status }) =>
        Object.keys(spec?.hard ?? {}).flatMap((name) => {
          const count = countOf(live, metadata?.namespace ?? '', name, spec?.scopes);
          return count === undefined
            ? []
            : { quota: metadata?.name, name, count, used: status?.used?.[name] };
        }),
      );
      const wrong = reported.find(({ count, used }) => used !== String(count));
      return verdict(
        state,
        reported.length > 0,
        wrong &&
          `${wrong.quota ?? ''}: reports ${wrong.used ?? 'no'} ${wrong.name} instead of ${wrong.count}`,
      );
    },
  }),
  invariant({
    id: `${CONTROLLER}/limits-reported`,
    says: 'the status of a quota reports its limits',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const reported = liveObjects(live, resourceQuotas).filter(
        ({ metadata }) => metadata?.deletionTimestamp === undefined,
      );
      const wrong = reported.find(({ spec, status }) => !equalJson(spec?.hard ?? {}, status?.hard ?? {}));
      return verdict(
        state,
        reported.length > 0,
        wrong && `the status of ${wrong.metadata?.name ?? ''} reports other limits`,
      );
    },
  }),
];

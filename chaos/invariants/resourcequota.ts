import { pods, resourceQuotas } from '../../api/groups/index.ts';
import { equalJson } from '../../api/schema/own.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  liveObjects,
  objectOf,
  verdict,
  withMember,
} from './invariant.ts';

const CONTROLLER = 'resourcequota';

const COUNTED = new Set(['/resourcequotas', '/pods', '/configmaps', '/secrets']);
/** Controllers count all anew every five minutes or so. */
const COUNTED_AGAIN_MS = 6 * 60_000;

/** What there is of a resource that a quota limits; undefined for one that is not counted here. */
function countOf(live: LiveView, namespace: string, name: string): number | undefined {
  if (name === 'pods')
    return liveObjects(live, pods, namespace).filter(
      ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
    ).length;
  const [, plural] = /^(?:count\/)?(configmaps|secrets)$/.exec(name) ?? [];
  return plural === undefined ? undefined : live.list(`/${plural}`, namespace).length;
}

/**
 * What the status of quotas says. A charge that the controller's cache had not shown when it counted is found when it counts
 * all anew: within `countedAgainMs`, default six minutes.
 */
export const resourceQuotaInvariants = (countedAgainMs = COUNTED_AGAIN_MS): readonly Invariant[] => [
  invariant({
    id: `${CONTROLLER}/N1`,
    says: 'writes what a quota is to limit, and what is used of that alone',
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
      return verdict(state, true, isTrue ? undefined : `${commit.name} does not say what it limits`);
    },
  }),
  invariant({
    id: `${CONTROLLER}/N2`,
    says: 'never says that less is used than there is of what was limited before',
    controller: CONTROLLER,
    kind: 'never',
    // It counts by lists of its own, which are then of the past.
    unless: 'stale-list',
    initial: () => null,
    onCommit(state, commit, live) {
      const quota = objectOf(commit, resourceQuotas, 'after');
      if (commit.actor !== CONTROLLER || !quota) return verdict(state, false);
      // What comes while a new limit is counted is charged to nobody, and found by the count that follows.
      const before = objectOf(commit, resourceQuotas, 'before')?.status?.hard ?? {};
      const limited = Object.entries(quota.status?.used ?? {}).filter(([name]) => name in before);
      const counts = limited.map(([name, amount]) => ({
        name,
        used: Number(amount),
        count: countOf(live, commit.namespace, name) ?? 0,
      }));
      const low = counts.find(({ used, count }) => used < count);
      return verdict(
        state,
        counts.some(({ count }) => count > 0),
        low && `${commit.name} says that ${low.used} ${low.name} are there of ${low.count}`,
      );
    },
  }),
  invariant<{ readonly [namespace: string]: number }>({
    id: `${CONTROLLER}/E1`,
    says: 'what a quota says is used is what there is, once all was counted again',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => ({}),
    onCommit: (changedMs, { resource, namespace, atMs }) =>
      verdict(COUNTED.has(resource) ? withMember(changedMs, namespace, atMs) : changedMs, false),
    atRest(state, live) {
      const counted = liveObjects(live, resourceQuotas).filter(
        ({ metadata }) => (state[metadata?.namespace ?? ''] ?? 0) <= live.nowMs - countedAgainMs,
      );
      const told = counted.flatMap(({ metadata, spec, status }) =>
        Object.keys(spec?.hard ?? {}).flatMap((name) => {
          const count = countOf(live, metadata?.namespace ?? '', name);
          return count === undefined
            ? []
            : { quota: metadata?.name, name, count, used: status?.used?.[name] };
        }),
      );
      const wrong = told.find(({ count, used }) => used !== String(count));
      return verdict(
        state,
        told.length > 0,
        wrong && `${wrong.quota ?? ''}: ${wrong.used ?? 'nothing'} ${wrong.name} are used of ${wrong.count}`,
      );
    },
  }),
  invariant({
    id: `${CONTROLLER}/E2`,
    says: 'the status of a quota says its limits',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const told = liveObjects(live, resourceQuotas).filter(
        ({ metadata }) => metadata?.deletionTimestamp === undefined,
      );
      const wrong = told.find(({ spec, status }) => !equalJson(spec?.hard ?? {}, status?.hard ?? {}));
      return verdict(
        state,
        told.length > 0,
        wrong && `the status of ${wrong.metadata?.name ?? ''} says other limits than it has`,
      );
    },
  }),
];

import { configMaps } from 'orch/api';
import { type Action, type ModuleScenario, invariant, liveObjects, objectOf, verdict } from 'orch/chaos';
import { TTL, configMapTtl } from './config-map-ttl.ts';

/**
 * Maximum difference between the clocks of the controller and the server, including message delays, in
 * milliseconds.
 */
const SKEW_MS = 10_000;

type Aged = {
  readonly metadata?: { readonly annotations?: object; readonly creationTimestamp?: string } | undefined;
};

/**
 * Returns the time at which a ConfigMap expires in milliseconds since the epoch, or undefined if it does not
 * expire.
 */
function endOf({ metadata }: Aged): number | undefined {
  const annotations: Readonly<Record<string, string>> = { ...metadata?.annotations };
  const seconds = Number(annotations[TTL]);
  return seconds >= 0 ? Date.parse(metadata?.creationTimestamp ?? '') + seconds * 1_000 : undefined;
}

const neverEarly = invariant({
  id: 'config-map-ttl/no-early-deletion',
  says: 'no ConfigMap is deleted before its expiry or without one',
  controller: 'config-map-ttl',
  kind: 'never',
  initial: () => null,
  onCommit(state, commit) {
    const deleted = commit.after === undefined ? objectOf(commit, configMaps, 'before') : undefined;
    if (deleted === undefined || commit.actor !== 'config-map-ttl') return { state };
    const endMs = endOf(deleted);
    const isEarly = endMs === undefined || commit.atMs < endMs - SKEW_MS;
    return verdict(state, true, isEarly ? `${commit.name} was deleted before its expiry` : undefined);
  },
});

const inTheEndGone = invariant({
  id: 'config-map-ttl/expired-are-deleted',
  says: 'every expired ConfigMap is deleted',
  controller: 'config-map-ttl',
  kind: 'eventually',
  initial: () => null,
  atRest(state, live) {
    const aged = liveObjects(live, configMaps).filter((each) => endOf(each) !== undefined);
    const late = aged.find((each) => (endOf(each) ?? 0) < live.nowMs - SKEW_MS);
    return verdict(state, true, late === undefined ? undefined : `${late.metadata?.name} still exists`);
  },
});

const make = (name: string, atMs: number, seconds: number): Action => ({
  atMs,
  verb: 'create',
  resource: '/configmaps',
  namespace: 'default',
  name,
  object: { metadata: { name, annotations: { [TTL]: String(seconds) } } },
});

/** Exports for `orch chaos run --module`: controllers, their invariants, and the actions of users. */
export const controllers = [configMapTtl];
export const invariants = [neverEarly, inTheEndGone];
export const workload: readonly Action[] = [
  make('short', 10_000, 60),
  make('long', 20_000, 600),
  { atMs: 60_000, verb: 'delete', resource: '/configmaps', namespace: 'default', name: 'long' },
  make('long', 65_000, 900),
  {
    atMs: 90_000,
    verb: 'patch',
    resource: '/configmaps',
    namespace: 'default',
    name: 'long',
    patch: { metadata: { annotations: { [TTL]: '1200' } } },
  },
];

/** A smaller workload for `orch chaos explore --module`, with the times at which the TTLs end. */
export const scenario: ModuleScenario = {
  actions: [
    make('short', 0, 60),
    {
      atMs: 30_000,
      verb: 'patch',
      resource: '/configmaps',
      namespace: 'default',
      name: 'short',
      patch: { metadata: { annotations: { [TTL]: '600' } } },
    },
    { atMs: 40_000, verb: 'delete', resource: '/configmaps', namespace: 'default', name: 'short' },
    make('short', 45_000, 60),
  ],
  instantsMs: [75_000, 3_600_000],
};

import { leases } from '../../api/groups/coordination-v1.ts';
import type { Lease } from '../../api/types/coordination-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { type Commit, type Invariant, invariant, isOf, objectOf, verdict } from './invariant.ts';

/** Leases by controller, as read from the writes of Lease objects. */
interface Held {
  readonly [controller: string]: {
    /** Process that acquired the lease last; '' after a release. */
    readonly node: string;
    readonly identity: string;
    readonly transitions: number;
    /** Time of acquisition, and time of the last renewal. */
    readonly sinceMs: number;
    readonly renewedMs: number;
    readonly durationMs: number;
    /** Number of holders so far. */
    readonly holders: number;
  };
}

/** Tolerance in milliseconds for a renewal in flight. */
const SLACK_MS = 5_000;

/** Returns the controller whose lease a commit writes; undefined for any other commit. */
const controllerOf = (commit: Commit, prefix: string): string | undefined =>
  isOf(commit, leases) && commit.name.startsWith(prefix) ? commit.name.slice(prefix.length) : undefined;

function noted(held: Held, commit: Commit, prefix: string): Held {
  const controller = controllerOf(commit, prefix);
  if (controller === undefined) return held;
  const { [controller]: before, ...others } = held;
  const lease = objectOf(commit, leases, 'after');
  if (lease === undefined) return others;
  const { holderIdentity = '', leaseDurationSeconds = 0, leaseTransitions = 0 } = lease.spec ?? {};
  const isSame = before !== undefined && before.identity === holderIdentity;
  const common = {
    identity: holderIdentity,
    transitions: leaseTransitions,
    renewedMs: commit.atMs,
    durationMs: leaseDurationSeconds * 1_000,
  };
  return {
    ...others,
    [controller]: isSame
      ? { ...before, ...common }
      : {
          ...common,
          node: holderIdentity === '' ? '' : (commit.node ?? ''),
          sinceMs: commit.atMs,
          holders: (before?.holders ?? 0) + (holderIdentity === '' ? 0 : 1),
        },
  };
}

/** Returns the holder of a lease; '' if there is none. */
export const holderOf = (lease: DeepReadonly<Lease> | undefined): string => lease?.spec?.holderIdentity ?? '';

/**
 * Returns the invariants of leader election.
 *
 * A write that was sent in time but is executed after another process took the lease is no violation here.
 * Servers with conditional writes reject it; with other servers, this risk remains.
 * @param prefix start of the names of Lease objects, which the controller's name follows
 */
export const leaderElectionInvariants = (prefix: string): readonly Invariant[] => [
  invariant<Held>({
    id: 'leaderelection/one-leader',
    says: 'no process sends requests after another one took its lease, and every leader has its own term',
    controller: '*',
    kind: 'never',
    initial: () => ({}),
    onCommit(held, commit) {
      const next = noted(held, commit, prefix);
      const before = objectOf(commit, leases, 'before');
      const after = objectOf(commit, leases, 'after');
      if (controllerOf(commit, prefix) !== undefined && before && after) {
        const isTaken = holderOf(after) !== '' && holderOf(after) !== holderOf(before);
        const isNew = (after.spec?.leaseTransitions ?? 0) > (before.spec?.leaseTransitions ?? 0);
        return verdict(
          next,
          isTaken,
          isTaken && !isNew ? `${holderOf(after)} leads in another holder's term: ${commit.name}` : undefined,
        );
      }
      const lease = held[commit.actor];
      if (lease === undefined || lease.holders < 2 || commit.node === undefined) return verdict(next, false);
      const { actor, verb, name, node, sentMs = commit.atMs } = commit;
      const isLate = lease.node !== node && sentMs > lease.sinceMs;
      return verdict(
        next,
        true,
        isLate
          ? `${actor}: ${verb} of ${name} by ${node}, ${sentMs - lease.sinceMs} ms after ${lease.node || 'another process'} took over`
          : undefined,
      );
    },
  }),
  invariant<Held>({
    id: 'leaderelection/no-request-after-expiry',
    says: 'nothing is sent under an expired lease, however long its holder was paused',
    controller: '*',
    kind: 'never',
    initial: () => ({}),
    onCommit(held, commit) {
      const next = noted(held, commit, prefix);
      const { actor, verb, name, node, sentMs } = commit;
      const lease = held[actor];
      if (lease === undefined || lease.node !== node || sentMs === undefined) return verdict(next, false);
      const overMs = sentMs - lease.renewedMs - lease.durationMs;
      return verdict(
        next,
        true,
        overMs > 0
          ? `${actor}: ${verb} of ${name} by ${node}, ${overMs} ms after its lease expired`
          : undefined,
      );
    },
  }),
  invariant<Held>({
    id: 'leaderelection/some-leader',
    says: 'every lease has a holder that renews it, after any crash',
    controller: '*',
    kind: 'eventually',
    initial: () => ({}),
    onCommit: (held, commit) => verdict(noted(held, commit, prefix), false),
    atRest(held, { nowMs }) {
      const all = Object.entries(held);
      const left = all.find(
        ([, { identity, renewedMs, durationMs }]) =>
          identity === '' || nowMs - renewedMs > durationMs + SLACK_MS,
      );
      return verdict(
        held,
        all.some(([, { holders }]) => holders > 1),
        left && `${left[0]} has had no leader for ${nowMs - left[1].renewedMs} ms`,
      );
    },
  }),
];

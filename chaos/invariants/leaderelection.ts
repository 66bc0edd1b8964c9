import { leases } from '../../api/groups/coordination-v1.ts';
import type { Lease } from '../../api/types/coordination-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { type Commit, type Invariant, invariant, isOf, objectOf, verdict } from './invariant.ts';

/** One lease, as its writes have shown it. */
interface Held {
  readonly [controller: string]: {
    /** The process that acquired it last; '' for one that was given back. */
    readonly node: string;
    readonly identity: string;
    readonly transitions: number;
    /** Since when it is that process's, and when it was renewed last. */
    readonly sinceMs: number;
    readonly renewedMs: number;
    readonly durationMs: number;
    /** How many have held it. */
    readonly holders: number;
  };
}

/** Slack for a renewal that is on its way, milliseconds. */
const SLACK_MS = 5_000;

/** Whose lease a write is about; undefined for one that is none of a controller's. */
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

/** '' for a lease that nobody holds. */
export const holderOf = (lease: DeepReadonly<Lease> | undefined): string => lease?.spec?.holderIdentity ?? '';

/**
 * What leader election is for, where controllers are run under leases: `prefix` begins the leases' names, a controller's
 * follows. A write that was sent in time and is carried out after another has taken over breaks nothing here: a server
 * that takes conditions of writes refuses it, and against others that is the bound that remains.
 */
export const leaderElectionInvariants = (prefix: string): readonly Invariant[] => [
  invariant<Held>({
    id: 'leaderelection/LE1',
    says: 'nothing is sent by a process whose lease another has taken, and every leader has a term of his own',
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
          isTaken && !isNew ? `${holderOf(after)} leads in the term of another: ${commit.name}` : undefined,
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
          ? `${actor}: ${verb} of ${name} by ${node}, ${sentMs - lease.sinceMs} ms after ${lease.node || 'nobody'} led`
          : undefined,
      );
    },
  }),
  invariant<Held>({
    id: 'leaderelection/LE2',
    says: 'nothing is sent under a lease that was not renewed in time, however long its holder stood still',
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
          ? `${actor}: ${verb} of ${name} by ${node}, ${overMs} ms after its lease had run out`
          : undefined,
      );
    },
  }),
  invariant<Held>({
    id: 'leaderelection/LE3',
    says: 'every lease has a holder that renews it, whoever died',
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
        left && `nobody leads ${left[0]}, for ${nowMs - left[1].renewedMs} ms`,
      );
    },
  }),
];

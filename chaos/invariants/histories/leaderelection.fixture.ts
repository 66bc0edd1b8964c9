import { leases } from '../../../api/groups/coordination-v1.ts';
import { configMaps } from '../../../api/groups/core-v1.ts';
import type { Change } from '../history.fixture.ts';
import { type History, makes, named, turns } from './objects.fixture.ts';

const NAME = 'orch-controller-manager-x';
const lease = (holderIdentity: string, leaseTransitions: number) =>
  named(NAME, { spec: { holderIdentity, leaseTransitions, leaseDurationSeconds: 15 } });
const acquires = (node: string, atMs = 0): Change => ({
  ...makes('m', leases, lease(node, 0), atMs),
  node,
});
const renews = (node: string, atMs: number): Change => ({
  ...turns('m', leases, lease(node, 0), lease(node, 0), { atMs }),
  node,
});
const takes = (node: string, atMs: number, transitions = 1): Change => ({
  ...turns('m', leases, lease('one', 0), lease(node, transitions), { atMs }),
  node,
});
const writes = (node: string, sentMs: number, atMs = sentMs): Change => ({
  ...makes('x', configMaps, named(`of-${sentMs}`), atMs),
  node,
  sentMs,
});

export const leaderElectionHistories: readonly History[] = [
  [
    'leaderelection/one-leader',
    [acquires('one'), takes('two', 20_000), writes('one', 20_001)],
    // The write was sent in time but executed late. Only the server can reject it.
    [acquires('one'), takes('two', 20_000), writes('two', 20_001), writes('one', 10_000, 21_000)],
  ],
  [
    'leaderelection/one-leader',
    [acquires('one'), takes('two', 20_000, 0)],
    [acquires('one'), takes('two', 20_000)],
  ],
  [
    'leaderelection/no-request-after-expiry',
    [acquires('one'), writes('one', 15_001)],
    [acquires('one'), renews('one', 10_000), writes('one', 15_001)],
  ],
  [
    'leaderelection/some-leader',
    [acquires('one'), takes('two', 20_000)],
    [acquires('one'), takes('two', 20_000), renews('two', 40_000)],
    50_000,
  ],
];

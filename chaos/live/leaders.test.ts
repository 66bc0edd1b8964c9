import { describe, expect, it } from 'vitest';
import { leases } from '../../api/groups/coordination-v1.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { Lease } from '../../api/types/coordination-v1.ts';
import { type Commit, resourceOf } from '../invariants/invariant.ts';
import { createLeaders } from './leaders.ts';

const QUIET_MS = 4_000;

async function world() {
  const clock = createSimulatedClock();
  const leaders = createLeaders(clock, 'managers-');
  const commits = (name: string, spec: Lease['spec']): void => {
    const after: Lease = { metadata: { name }, ...(spec && { spec }) };
    const commit: Commit = {
      step: 0,
      atMs: clock.now(),
      actor: 'apiserver',
      verb: spec === undefined ? 'delete' : 'update',
      resource: resourceOf(leases),
      namespace: 'system',
      name,
      uid: name,
      ...(spec && { after }),
    };
    leaders.onCommit(commit);
  };
  /** Commits a lease with a holder. */
  const holds = (holderIdentity: string, name = 'managers-job') =>
    commits(name, {
      holderIdentity,
      leaseDurationSeconds: 4,
      // The time is one hour ahead, as if the holder's clock had been wrong before.
      acquireTime: new Date(clock.now() + 3_600_000).toISOString(),
    });
  holds('one');
  await clock.advance(3_000);
  holds('one');
  await clock.advance(1_000);
  return { clock, holds, commits, areSettled: () => leaders.areSettled(QUIET_MS) };
}

describe('leaders', () => {
  it('are settled when each leader has held its lease for a while, even with a wrong clock', async () => {
    const { areSettled } = await world();
    expect(areSettled()).toBe(true);
  });

  it('are not settled after a takeover until the new leader has led for a while', async () => {
    const { clock, holds, areSettled } = await world();
    holds('two');
    expect(areSettled()).toBe(false);
    await clock.advance(3_000);
    holds('two');
    await clock.advance(1_000);
    expect(areSettled()).toBe(true);
  });

  it('are not settled while a lease is expired or released', async () => {
    const [one, other] = [await world(), await world()];
    await one.clock.advance(3_000);
    expect(one.areSettled()).toBe(false);
    other.holds('', 'managers-namespace');
    await other.clock.advance(4_000);
    other.holds('one');
    expect(other.areSettled()).toBe(false);
  });

  it('ignore deleted leases and leases of other programs', async () => {
    const { holds, commits, areSettled } = await world();
    holds('', 'someone-else');
    holds('', 'managers-namespace');
    commits('managers-namespace', undefined);
    expect(areSettled()).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { KeyLocks, LOCK_MS, type LockedJob } from './key-locks.ts';

const job = { id: '1', token: 'own' };

/** Locks over a server that answers at once; `gone` are those that are another's. */
function setUp() {
  const clock = createSimulatedClock();
  const renewals: (readonly LockedJob[])[] = [];
  const server = { gone: [] as readonly string[], isAway: false };
  const locks = new KeyLocks(clock, async (jobs) => {
    if (server.isAway) throw new Error('no answer');
    renewals.push(jobs);
    return server.gone;
  });
  return { clock, locks, renewals, server };
}

describe('key locks', () => {
  it('keep a lock until its job is finished in redis, and not only until its pass has ended', async () => {
    const { clock, locks, renewals } = setUp();
    const lock = locks.hold(job, 0);
    await clock.advance(10 * LOCK_MS);
    expect(renewals.length).toBeGreaterThan(10);
    expect(lock.check).not.toThrow();
    locks.release(job);
    const before = renewals.length;
    await clock.advance(LOCK_MS);
    expect([renewals.length, clock.pending]).toEqual([before, 0]);
  });

  it('do not release the lock of a job that was taken anew', async () => {
    const { clock, locks, renewals } = setUp();
    locks.hold(job, 0);
    const anew = { ...job, token: 'later' };
    locks.hold(anew, 0);
    locks.release(job);
    await clock.advance(LOCK_MS);
    expect(renewals.at(-1)).toMatchObject([anew]);
  });

  it('lose a lock that another worker has, and ask for it no more', async () => {
    const { clock, locks, renewals, server } = setUp();
    const lock = locks.hold(job, 0);
    server.gone = [job.id];
    await clock.advance(LOCK_MS);
    expect(lock.signal.reason).toMatchObject({ code: 'ERR_KEY_LOST' });
    expect(renewals).toHaveLength(1);
  });

  it('lose a lock by the clock when the server cannot be asked', async () => {
    const { clock, locks, server } = setUp();
    const lock = locks.hold(job, 0);
    server.isAway = true;
    await clock.advance(LOCK_MS - 1);
    expect(lock.check).not.toThrow();
    await clock.advance(1);
    expect(lock.check).toThrow('taken over');
  });

  it('say of a job that was taken long ago whether its lock is still there', async () => {
    const { locks, server } = setUp();
    const late = locks.hold(job, LOCK_MS + 1);
    expect(await locks.confirm(job)).toBe(true);
    expect(late.check).not.toThrow();
    server.gone = [job.id];
    expect(await locks.confirm(job)).toBe(false);
    server.isAway = true;
    locks.hold(job, LOCK_MS + 1);
    expect(await locks.confirm(job)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { KeyLocks, LOCK_MS, type LockedJob } from './key-locks.ts';

const job = { id: '1', token: 'own' };

/** Creates locks on a simulated server that responds at once. Jobs in `server.lost` have lost their lock. */
function setUp() {
  const clock = createSimulatedClock();
  const renewals: (readonly LockedJob[])[] = [];
  const durations: number[] = [];
  const blocks: string[] = [];
  const server = { lost: [] as readonly string[], isAway: false };
  let blockedMs = 0;
  const locks = new KeyLocks({
    clock: {
      ...clock,
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + blockedMs,
      setTimeout: (work, ms) => clock.setTimeout(work, ms),
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
    renew: async (jobs, durationMs) => {
      if (server.isAway) throw new Error('no answer');
      renewals.push(jobs);
      durations.push(durationMs);
      return server.lost;
    },
    onBlocked: ({ code, message }) => blocks.push(`${code} ${message}`),
  });
  /** Advances the monotonic clock without firing timers. */
  const block = (ms: number): void => void (blockedMs += ms);
  return { clock, locks, renewals, durations, blocks, block, server };
}

describe('KeyLocks', () => {
  it('renews a lock after the reconcile ends, until Redis records the job as finished', async () => {
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

  it('retains the lock of a job that was taken again', async () => {
    const { clock, locks, renewals } = setUp();
    locks.hold(job, 0);
    const retaken = { ...job, token: 'later' };
    locks.hold(retaken, 0);
    locks.release(job);
    await clock.advance(LOCK_MS);
    expect(renewals.at(-1)).toMatchObject([retaken]);
  });

  it('loses a lock that another worker has and no longer renews it', async () => {
    const { clock, locks, renewals, server } = setUp();
    const lock = locks.hold(job, 0);
    server.lost = [job.id];
    await clock.advance(LOCK_MS);
    expect(lock.signal.reason).toMatchObject({ code: 'ERR_KEY_LOST' });
    expect(renewals).toHaveLength(1);
  });

  it('loses a lock by the clock if the server is unreachable', async () => {
    const { clock, locks, server } = setUp();
    const lock = locks.hold(job, 0);
    server.isAway = true;
    await clock.advance(LOCK_MS - 1);
    expect(lock.check).not.toThrow();
    await clock.advance(1);
    expect(lock.check).toThrow('taken over');
  });

  it('confirms a lock with the server after the loop was blocked', async () => {
    const { clock, locks, block } = setUp();
    const lock = locks.hold(job, 0);
    block(4_000);
    await clock.advance(300);
    expect(lock.signal.aborted).toBe(false);
    expect(lock.check).not.toThrow();
  });

  it.each(['lost', 'away'])(
    'loses a lock after a block of the event loop if the lock or server is %s',
    async (how) => {
      const { clock, locks, block, server } = setUp();
      const lock = locks.hold(job, 0);
      if (how === 'away') server.isAway = true;
      else server.lost = [job.id];
      block(4_000);
      await clock.advance(300);
      expect(lock.signal.reason).toMatchObject({ code: 'ERR_KEY_LOST' });
    },
  );

  it('extends locks by the measured block and reports the block', async () => {
    const { clock, locks, durations, blocks, block, server } = setUp();
    locks.hold(job, 0);
    server.lost = [job.id];
    expect(locks.explains(new Error('Missing lock for job 1'))).toBe(false);
    // Redis accepts only whole milliseconds.
    block(3_999.4);
    await clock.advance(300);
    expect(locks.explains(new Error('Missing lock for job 1'))).toBe(true);
    expect(locks.explains(new Error('connection lost'))).toBe(false);
    expect(blocks).toEqual([
      'ERR_LOOP_BLOCKED the event loop was blocked for 3999 ms, while the locks of keys in work last 1500 ms;' +
        ' from now on they last 9500 ms',
    ]);
    server.lost = [];
    const again = locks.hold(job, 0);
    await locks.confirm(job);
    block(4_000);
    expect(again.check).not.toThrow();
    await clock.advance(300);
    expect(again.signal.aborted).toBe(false);
    expect(blocks).toHaveLength(1);
    expect(durations.at(-1)).toBe(9_500);
  });

  it('returns to the usual lock duration ten minutes after a block', async () => {
    const { clock, locks, block } = setUp();
    locks.hold(job, 0);
    block(4_000);
    await clock.advance(300);
    expect(locks.lockMs).toBe(9_500);
    await clock.advance(601_000);
    expect(locks.lockMs).toBe(LOCK_MS);
  });

  it('confirms with the server the lock of a job that was taken a while ago', async () => {
    const { locks, server } = setUp();
    const late = locks.hold(job, LOCK_MS + 1);
    expect(await locks.confirm(job)).toBe(true);
    expect(late.check).not.toThrow();
    server.lost = [job.id];
    expect(await locks.confirm(job)).toBe(false);
    server.isAway = true;
    locks.hold(job, LOCK_MS + 1);
    expect(await locks.confirm(job)).toBe(false);
  });
});

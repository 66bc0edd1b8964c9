import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded.ts';
import { backoffMs } from './backoff.ts';
import { fromTime, sleep, toMicroTime, toTime } from './clock.ts';
import { createSimulatedClock } from './simulated.ts';
import { createSystemClock } from './system.ts';

describe('simulated clock', () => {
  it('fires timers at their due time, in the order of due time and creation', async () => {
    const clock = createSimulatedClock(0);
    const fired: string[] = [];
    clock.setTimeout(() => fired.push(`late ${clock.now()}`), 30);
    clock.setTimeout(() => fired.push(`first ${clock.now()}`), 10);
    clock.setTimeout(() => fired.push(`second ${clock.now()}`), 10);
    await clock.advance(25);
    expect(fired).toEqual(['first 10', 'second 10']);
    expect(clock.now()).toBe(25);
    await clock.advance(5);
    expect(fired).toEqual(['first 10', 'second 10', 'late 30']);
  });

  it('fires a timer that sets itself again once per period', async () => {
    const clock = createSimulatedClock(0);
    let count = 0;
    const arm = (): void => void clock.setTimeout(() => (count++, arm()), 1_000);
    arm();
    await clock.advance(10_000);
    expect(count).toBe(10);
  });

  it('lets the effects of a timer settle before time advances', async () => {
    const clock = createSimulatedClock(0);
    const seen: number[] = [];
    clock.setTimeout(
      () => void Promise.resolve().then(() => clock.setTimeout(() => seen.push(clock.now()), 5)),
      10,
    );
    clock.setTimeout(() => seen.push(clock.now()), 20);
    await clock.advance(30);
    expect(seen).toEqual([15, 20]);
  });

  it('changes only the wall clock in a jump', async () => {
    const clock = createSimulatedClock(1_000_000);
    let fired = false;
    clock.setTimeout(() => (fired = true), 100);
    clock.jump(-500_000);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([500_000, 0, false]);
    clock.jump(3_600_000);
    await clock.advance(99);
    expect(fired).toBe(false);
    await clock.advance(1);
    expect(fired).toBe(true);
  });

  it('never fires or counts a cancelled timer', async () => {
    const clock = createSimulatedClock(0);
    const timer = clock.setTimeout(() => expect.unreachable(), 10);
    clock.clearTimeout(timer);
    expect(clock.pending).toBe(0);
    await clock.advance(20);
  });

  it('stops advanceUntil once the condition is true, and rejects if it cannot become true', async () => {
    const clock = createSimulatedClock(0);
    let done = false;
    clock.setTimeout(() => (done = true), 5_000);
    await clock.advanceUntil(() => done);
    expect(clock.now()).toBe(5_000);
    await expect(clock.advanceUntil(() => false)).rejects.toThrow('no timer is armed');
    clock.setTimeout(() => {}, 100);
    await expect(clock.advanceUntil(() => false, 50)).rejects.toThrow('within 50 ms');
  });
});

describe('system clock', () => {
  it('does not fire a timer above 24.8 days early', async () => {
    const clock = createSystemClock({ unref: true });
    const timer = clock.setTimeout(() => expect.unreachable(), 2 ** 31 + 10_000);
    await new Promise((resolve) => setImmediate(resolve));
    clock.clearTimeout(timer);
  });

  it('never fires early by the monotonic clock', async () => {
    const clock = createSystemClock();
    const from = clock.monotonic();
    await sleep(clock, 3);
    expect(clock.monotonic() - from).toBeGreaterThanOrEqual(3);
  });
});

describe('sleep', () => {
  it('rejects with the reason of the signal and leaves no timer', async () => {
    const clock = createSimulatedClock(0);
    const abort = new AbortController();
    const sleeping = sleep(clock, 1_000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    await expect(sleep(clock, 1, abort.signal)).rejects.toThrow('enough');
  });
});

describe('backoff', () => {
  it('doubles from the base to the maximum, plus jitter', () => {
    const random = createSeededRandom(1);
    const delays = [1, 2, 3, 20].map((attempt) =>
      backoffMs(attempt, random, { baseMs: 100, maxMs: 1_000, jitter: 0.1 }),
    );
    for (const [at, floor] of [100, 200, 400, 1_000].entries()) {
      expect(delays[at]).toBeGreaterThanOrEqual(floor);
      expect(delays[at]).toBeLessThanOrEqual(floor * 1.1);
    }
  });
});

describe('timestamps', () => {
  it('are formatted with whole seconds or microseconds', () => {
    expect(toTime(Date.UTC(2026, 0, 2, 3, 4, 5, 999))).toBe('2026-01-02T03:04:05Z');
    expect(toMicroTime(Date.UTC(2026, 0, 2, 3, 4, 5, 6))).toBe('2026-01-02T03:04:05.006000Z');
  });

  it('are parsed from RFC 3339, and other strings yield undefined', () => {
    expect(fromTime('2026-01-02T03:04:05Z')).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect([fromTime('soon'), fromTime(undefined), fromTime(null)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

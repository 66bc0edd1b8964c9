import { describe, expect, it } from 'vitest';
import { withWallOffset } from './offset.ts';
import { SharedOffset } from './shared-offset.ts';
import { createSimulatedClock } from './simulated.ts';

describe('clock with an offset', () => {
  it('returns the shifted wall-clock time, and measures durations without the offset', async () => {
    const clock = createSimulatedClock(1_000_000);
    let offsetMs = 0;
    const off = withWallOffset(clock, () => offsetMs);
    let fired = 0;
    off.setTimeout(() => fired++, 60_000);
    expect(off.now()).toBe(1_000_000);
    offsetMs = -3_600_000;
    expect(off.now()).toBe(1_000_000 - 3_600_000);
    const before = off.monotonic();
    await clock.advance(60_000);
    expect([fired, off.monotonic() - before]).toEqual([1, 60_000]);
  });

  it('receives an offset that another thread has changed', () => {
    const mine = new SharedOffset();
    const theirs = new SharedOffset(mine.memory);
    const clock = withWallOffset(createSimulatedClock(1_000_000), () => theirs.ms);
    mine.ms = 40 * 365 * 86_400_000;
    mine.ms += 1;
    expect(clock.now() - 1_000_000).toBe(40 * 365 * 86_400_000 + 1);
    mine.ms = -500;
    expect([theirs.ms, clock.now()]).toEqual([-500, 999_500]);
  });
});

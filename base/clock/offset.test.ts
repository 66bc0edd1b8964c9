import { describe, expect, it } from 'vitest';
import { withWallOffset } from './offset.ts';
import { createSimulatedClock } from './simulated.ts';

describe('a clock with a wall clock that is off', () => {
  it('shows another time from the moment it is set, and measures durations as before', async () => {
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
});

import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createClockJumps } from './clock-jumps.ts';

function start() {
  const clock = createSimulatedClock();
  const healedMs: number[] = [];
  const askedMs: number[] = [];
  const jumps = createClockJumps({
    clock,
    ask: () => askedMs.push(clock.monotonic()),
    heal: () => healedMs.push(clock.monotonic()),
  });
  return { clock, healedMs, askedMs, jumps };
}

describe('createClockJumps', () => {
  it('calls heal at once after a jump, and once for all further jumps within a minute', async () => {
    const { clock, healedMs, jumps } = start();
    for (let i = 0; i < 10; i++) {
      jumps.jumped();
      await clock.advance(1_000);
    }
    await clock.advance(300_000);
    jumps.jumped();
    await clock.advance(0);
    expect(healedMs).toEqual([0, 60_000, 310_000]);
  });

  it.each([3_600_000, -3_600_000])(
    "requests the server's time once after a local jump of %i ms",
    async (ms) => {
      const { clock, askedMs, jumps } = start();
      await jumps.start();
      await clock.advance(25_000);
      clock.jump(ms);
      await clock.advance(60_000);
      expect(askedMs).toEqual([30_000]);
      clock.jump(1_000);
      await clock.advance(60_000);
      expect(askedMs).toHaveLength(1);
      await jumps.stop();
    },
  );

  it('drops a pending call when it is stopped', async () => {
    const { clock, healedMs, jumps } = start();
    await jumps.start();
    jumps.jumped();
    await clock.advance(0);
    jumps.jumped();
    await jumps.stop();
    jumps.jumped();
    await clock.advance(300_000);
    expect(healedMs).toEqual([0]);
    expect(clock.pending).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createServerClock } from './server-clock.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A server whose clock is `aheadMs` ahead of the own one; asked, it takes `ms` each way. */
function start(aheadMs: number) {
  const own = createSimulatedClock(START);
  let jumps = 0;
  const clock = createServerClock(own, () => (jumps += 1));
  let skewMs = aheadMs;
  const serverMs = (): number => START + own.monotonic() + skewMs;
  return {
    own,
    clock,
    serverMs,
    jumps: () => jumps,
    setServer: (ms: number) => void (skewMs = ms),
    /** How far the estimate is ahead of the server. */
    errorMs: () => clock.now() - serverMs(),
    async ask(toMs = 5, backMs = toMs) {
      const sentMs = own.monotonic();
      await own.advance(toMs);
      const date = new Date(serverMs()).toUTCString();
      await own.advance(backMs);
      clock.heard(date, sentMs);
    },
  };
}

describe('server clock', () => {
  it('shows the own time before an answer, and after answers without a readable date', async () => {
    const { own, clock } = start(HOUR);
    expect(clock.now()).toBe(own.now());
    clock.heard(undefined, own.monotonic());
    clock.heard('yesterday', own.monotonic());
    await own.advance(SECOND);
    expect(clock.now()).toBe(own.now());
  });

  it('shows the own time to the millisecond while answers agree with it', async () => {
    const { own, clock, ask } = start(0);
    for (let i = 0; i < 5; i++) {
      await own.advance(333);
      await ask();
      expect(clock.now()).toBe(own.now());
    }
  });

  it.each([2 * HOUR, -2 * HOUR, 90 * SECOND, -2 * SECOND])(
    'is late by a second and the time of an answer at most, never ahead, where the own clock is off by %i ms',
    async (aheadMs) => {
      const { own, ask, errorMs } = start(aheadMs);
      for (let i = 0; i < 20; i++) {
        await own.advance(370);
        await ask();
        expect(errorMs()).toBeLessThanOrEqual(0);
        expect(errorMs()).toBeGreaterThan(-SECOND - 5 - 1);
      }
      // Answers that come just after the turn of a second have said more.
      expect(errorMs()).toBeGreaterThan(-100);
    },
  );

  it.each([
    [0, 60 * SECOND],
    [60 * SECOND, 0],
  ])('takes no slow answer for news: %i ms there, %i ms back', async (toMs, backMs) => {
    const { ask, errorMs } = start(HOUR);
    await ask();
    const before = errorMs();
    await ask(toMs, backMs);
    expect(errorMs()).toBe(before);
  });

  it('does not let a slow answer confirm an own clock that is ahead', async () => {
    const { ask, errorMs } = start(-30 * SECOND);
    await ask(60 * SECOND, 0);
    expect(errorMs()).toBeLessThanOrEqual(0);
  });

  it('goes on by the monotonic clock when somebody sets the own one', async () => {
    const { own, clock, ask, errorMs } = start(0);
    await ask();
    own.jump(HOUR);
    await own.advance(10 * SECOND);
    expect(errorMs()).toBe(0);
    expect(own.now() - clock.now()).toBe(HOUR);
  });

  it.each([HOUR, -HOUR])(
    'follows the server when its clock is set by %i ms, and tells of it once',
    async (ms) => {
      const { ask, errorMs, jumps, setServer } = start(0);
      await ask();
      setServer(ms);
      for (let i = 0; i < 3; i++) await ask();
      expect(Math.abs(errorMs())).toBeLessThanOrEqual(SECOND + 10);
      expect(jumps()).toBe(1);
    },
  );

  it('takes neither its first answer nor a difference of less than a minute for a jump', async () => {
    const { ask, jumps, setServer } = start(HOUR);
    await ask();
    setServer(HOUR + 50 * SECOND);
    await ask();
    expect(jumps()).toBe(0);
  });
});

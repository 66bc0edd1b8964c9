import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createServerClock } from './server-clock.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A server clock whose server is `aheadMs` ahead of the local clock. */
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
    /** Returns the difference between the estimate and the server's time in milliseconds. */
    errorMs: () => clock.now() - serverMs(),
    async ask(toMs = 5, backMs = toMs) {
      const sentMs = own.monotonic();
      await own.advance(toMs);
      const date = new Date(serverMs()).toUTCString();
      await own.advance(backMs);
      clock.observe(date, sentMs);
    },
  };
}

describe('createServerClock', () => {
  it('returns the local time before the first dated response', async () => {
    const { own, clock } = start(HOUR);
    expect(clock.now()).toBe(own.now());
    clock.observe(undefined, own.monotonic());
    clock.observe('yesterday', own.monotonic());
    await own.advance(SECOND);
    expect(clock.now()).toBe(own.now());
  });

  it('returns exactly the local time while responses agree with it', async () => {
    const { own, clock, ask } = start(0);
    for (let i = 0; i < 5; i++) {
      await own.advance(333);
      await ask();
      expect(clock.now()).toBe(own.now());
    }
  });

  it.each([2 * HOUR, -2 * HOUR, 90 * SECOND, -2 * SECOND])(
    'is at most a second and a response time behind the server, and never ahead, with a local clock off by %i ms',
    async (aheadMs) => {
      const { own, ask, errorMs } = start(aheadMs);
      for (let i = 0; i < 20; i++) {
        await own.advance(370);
        await ask();
        expect(errorMs()).toBeLessThanOrEqual(0);
        expect(errorMs()).toBeGreaterThan(-SECOND - 5 - 1);
      }
      // Responses just after the start of a second are the most precise.
      expect(errorMs()).toBeGreaterThan(-100);
    },
  );

  it.each([
    [0, 60 * SECOND],
    [60 * SECOND, 0],
  ])('ignores a slow response: request %i ms, response %i ms', async (toMs, backMs) => {
    const { ask, errorMs } = start(HOUR);
    await ask();
    const before = errorMs();
    await ask(toMs, backMs);
    expect(errorMs()).toBe(before);
  });

  it('does not trust a fast local clock because of a slow response', async () => {
    const { ask, errorMs } = start(-30 * SECOND);
    await ask(60 * SECOND, 0);
    expect(errorMs()).toBeLessThanOrEqual(0);
  });

  it('follows the monotonic clock when the local clock is set', async () => {
    const { own, clock, ask, errorMs } = start(0);
    await ask();
    own.jump(HOUR);
    await own.advance(10 * SECOND);
    expect(errorMs()).toBe(0);
    expect(own.now() - clock.now()).toBe(HOUR);
  });

  it.each([HOUR, -HOUR])(
    "follows the server when the server's clock is set by %i ms and reports one jump",
    async (ms) => {
      const { ask, errorMs, jumps, setServer } = start(0);
      await ask();
      setServer(ms);
      for (let i = 0; i < 3; i++) await ask();
      expect(Math.abs(errorMs())).toBeLessThanOrEqual(SECOND + 10);
      expect(jumps()).toBe(1);
    },
  );

  it('reports no jump for the first response or for a difference below a minute', async () => {
    const { ask, jumps, setServer } = start(HOUR);
    await ask();
    setServer(HOUR + 50 * SECOND);
    await ask();
    expect(jumps()).toBe(0);
  });
});

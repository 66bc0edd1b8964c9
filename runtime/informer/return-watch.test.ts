import { expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createReturnWatch } from './return-watch.ts';

function setUp(informers: number) {
  const clock = createSimulatedClock();
  const lines: string[] = [];
  const state = { down: true, retries: 0 };
  const watch = createReturnWatch({
    clock,
    random: createSeededRandom(1),
    log: {
      ...silentLogger,
      warn: ({ err }, message) => void lines.push(`${clock.monotonic() / 1000} s: ${message}: ${err}`),
      info: (_, message) => void lines.push(`${clock.monotonic() / 1000} s: ${message}`),
    },
    informers: () =>
      Array.from({ length: informers }, () => ({
        unreachable: state.down,
        retry() {
          state.retries++;
          if (state.down) watch.lost('no connection');
        },
      })),
  });
  return { clock, lines, state, watch };
}

it('logs one line a minute during an outage, and one line when it ends', async () => {
  const { clock, lines, state, watch } = setUp(20);
  for (let each = 0; each < 20; each++) watch.lost('no connection');
  await clock.advance(150_000);
  state.down = false;
  watch.answered();
  watch.answered();
  expect(
    lines.map((line) => line.replace(/^([\d.]+)/, (seconds) => `${Math.floor(Number(seconds) / 10)}0`)),
  ).toEqual([
    '00 s: API server is unreachable; informers retry: no connection',
    '60 s: API server is unreachable; informers retry: no connection',
    '120 s: API server is unreachable; informers retry: no connection',
    '150 s: API server responds again',
  ]);
  watch.stop();
});

it('logs the next outage at once', () => {
  const { lines, watch } = setUp(1);
  watch.lost('no connection');
  watch.answered();
  watch.lost('no connection');
  expect(lines).toHaveLength(3);
  watch.stop();
});

it('logs nothing if the server responds without an outage', () => {
  const { lines, watch } = setUp(1);
  watch.answered();
  expect(lines).toEqual([]);
});

import { expect, it } from 'vitest';
import { type LimitedServer, startLimitedServer } from './priority-and-fairness.fixture.ts';

const SECRET = '/api/v1/namespaces/default/secrets/s';
/** Limits that give global-default eight seats, which serve 80 requests a second. */
const LIMITS = { maxInFlight: 66, maxMutatingInFlight: 32, fair: true };
const SERVICE_MS = 100;
/**
 * Milliseconds between requests at 40 requests a second, the fair share of one of two flows that request
 * more.
 */
const SHARE_MS = 25;
const STRETCH_MS = 4_000;
/** Milliseconds after the last request; longer than the maximum wait. */
const REST_MS = 16_000;

interface Series {
  readonly latencies: number[];
  readonly statuses: number[];
}

/**
 * Sends a request every `everyMs` milliseconds for `STRETCH_MS`, without waiting for responses. Returns their
 * latencies and statuses, which are complete once the clock has advanced.
 */
function ask(limited: LimitedServer, who: string, everyMs: number, url = SECRET): Series {
  const { clock } = limited;
  const until = clock.monotonic() + STRETCH_MS;
  const series: Series = { latencies: [], statuses: [] };
  const next = (): void => {
    if (clock.monotonic() >= until) return;
    const started = clock.monotonic();
    void limited.call(who, 'GET', url).then(({ status }) => {
      series.statuses.push(status);
      series.latencies.push(clock.monotonic() - started);
    });
    clock.setTimeout(next, everyMs);
  };
  next();
  return series;
}

function p99({ latencies }: Series): number {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Infinity;
}

const rejectedOf = ({ statuses }: Series): number => statuses.filter((status) => status === 429).length;

it('a flow at 50 times its share at most doubles the latency of another flow and does not affect system flows', async () => {
  const limited = await startLimitedServer(LIMITS, { serviceMs: SERVICE_MS });
  const { clock } = limited;
  const run = (): Promise<void> => clock.advance(STRETCH_MS + REST_MS);

  // The flood fills all six queues of its hand, and each of these is served like the queue of another flow.
  const paceMs = 5 * SHARE_MS;
  const quiet = ask(limited, 'bob', paceMs);
  await run();

  const flood = ask(limited, 'alice', SHARE_MS / 50);
  const other = ask(limited, 'bob', paceMs);
  const system = [
    ask(limited, 'root system:masters', SHARE_MS),
    ask(limited, 'system:node:n system:nodes', SHARE_MS),
    ask(limited, 'system:kube-controller-manager', SHARE_MS),
    ask(limited, 'system:serviceaccount:kube-system:a system:serviceaccounts', SHARE_MS),
    ask(limited, 'alice', SHARE_MS, '/readyz'),
  ];
  await run();

  expect(p99(quiet)).toBe(SERVICE_MS);
  expect(p99(other)).toBeLessThanOrEqual(2 * p99(quiet));
  expect([...system, other].map(rejectedOf)).toEqual([...system, other].map(() => 0));
  for (const each of system) expect(p99(each)).toBeLessThanOrEqual(2 * SERVICE_MS);
  // The flood gets those of the 80 seats a second that the other flow leaves. Its other requests are rejected.
  const served = flood.statuses.length - rejectedOf(flood);
  expect(flood.statuses.length).toBe(STRETCH_MS / (SHARE_MS / 50));
  expect(served).toBeGreaterThan((STRETCH_MS / 1000) * 72 * 0.9);
});

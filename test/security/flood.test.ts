import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startLimitedServerOn } from '../../apiserver/http/stages/priority-and-fairness.fixture.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { LONG } from '../long.ts';
import { listenTo } from './listening.ts';

// Tests the properties of `apiserver/http/stages/flood.test.ts`, which uses virtual time, over sockets and
// between processes, with the server's real delays. Runs only in a full run, because it needs an otherwise
// idle machine.

/**
 * Limits with which global-default has eighty seats and serves eighty requests a second, so that a seat is
 * often released.
 */
const LIMITS = { maxInFlight: 660, maxMutatingInFlight: 320, fair: true };
/** Mean service time in milliseconds. Times vary, so that seats are not released simultaneously. */
const SERVICE_MS = 1_000;
/**
 * Interval in milliseconds between requests of a flow at its share of forty requests a second, when two flows
 * request more.
 */
const SHARE_MS = 25;
const STRETCH_MS = 17_000;
const SECRET = '/api/v1/namespaces/default/secrets/s';

interface Fared {
  readonly statuses: Readonly<Record<string, number>>;
  readonly p99: number;
  readonly median: number;
}

const run = promisify(execFile);
const script = fileURLToPath(new URL('paced-peer.js', import.meta.url));

it.runIf(LONG)(
  'a flow at 50 times its share over sockets neither doubles the p99 of another flow nor affects the system level',
  async () => {
    const random = createSeededRandom(1);
    const serviceMs = (): number => SERVICE_MS * (0.75 + random.next() / 2);
    const limited = await startLimitedServerOn(createSystemClock(), LIMITS, { serviceMs });
    const listener = await listenTo(limited.server.handler);
    const ask = async (who: string, everyMs: number, path = SECRET): Promise<Fared> => {
      const argv = [script, listener.address().port, who, path, everyMs, STRETCH_MS].map(String);
      return JSON.parse((await run(process.execPath, argv)).stdout) as Fared;
    };
    try {
      const quiet = await ask('bob', 5 * SHARE_MS);
      const [flood, other, ...system] = await Promise.all([
        ask('alice', SHARE_MS / 50),
        ask('bob', 5 * SHARE_MS),
        ask('root system:masters', SHARE_MS),
        ask('system:node:n system:nodes', SHARE_MS),
        ask('system:kube-controller-manager', SHARE_MS),
        ask('alice', SHARE_MS, '/readyz'),
      ]);
      console.info(JSON.stringify({ quiet, flood, other, system }));
      expect(other.p99).toBeLessThanOrEqual(2 * quiet.p99);
      for (const { statuses } of [other, ...system]) {
        expect(statuses['429']).toBeUndefined();
        expect(statuses['0']).toBeUndefined();
      }
      expect(flood.statuses['429']).toBeGreaterThan(1_000);
    } finally {
      await listener.stop();
      await limited.server.stop();
    }
  },
  120_000,
);

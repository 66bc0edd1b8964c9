import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_LEVELS } from '../../apiserver/audit/trail.ts';
import { LONG } from '../long.ts';
import { patches, writes } from './canary-bodies.ts';
import { certificateRequests, credentials, reviews, successes, tokenRequests } from './canary-credentials.ts';
import { defects, overQuota, webhookAnswers } from './canary-failures.ts';
import { startCanaryServer } from './canary-server.ts';
import { type Ask, STORED, leakIn } from './canary.ts';

/** The error paths. A new one is a row here; every place where texts come out is searched for each. */
const PATHS: readonly {
  readonly name: string;
  readonly asks: () => Iterable<Ask>;
  readonly refused: number;
}[] = [
  { name: 'writes', asks: writes, refused: 100 },
  { name: 'patches', asks: patches, refused: 100 },
  { name: 'credentials', asks: credentials, refused: 20 },
  { name: 'token reviews', asks: reviews, refused: 5 },
  { name: 'token requests', asks: tokenRequests, refused: 5 },
  { name: 'certificate requests', asks: certificateRequests, refused: 10 },
  { name: 'answers of webhooks', asks: webhookAnswers, refused: 50 },
  { name: 'quotas', asks: overQuota, refused: 3 },
  { name: 'successes', asks: successes, refused: 0 },
  { name: 'defects and damaged values', asks: defects, refused: 6 },
];

/**
 * In a short run each level sends one request of so many; the numbers are prime, so that no part of a table is left out.
 * The highest level records what the others do, and more.
 */
const stepAt = (level: string, asks: number): number => {
  if (LONG) return 1;
  if (level === 'RequestResponse') return asks > 3_000 ? 17 : 1;
  return asks > 3_000 ? 71 : 23;
};
const TIMEOUT_MS = LONG ? 600_000 : 60_000;

describe.each(AUDIT_LEVELS)('at audit level %s', (level) => {
  let server: Awaited<ReturnType<typeof startCanaryServer>>;
  beforeAll(async () => {
    server = await startCanaryServer(level);
  });
  afterAll(() => server.stop());

  it.each(PATHS)(
    'shows no value of a Secret and no token for $name',
    async ({ asks, refused: least }) => {
      const found = new Set<string>();
      const all = [...asks()];
      const step = stepAt(level, all.length);
      let refused = 0;
      const search = (what: string, shown: Readonly<Record<string, string>>): void => {
        for (const [place, text] of Object.entries(shown)) {
          const leak = leakIn(text);
          if (leak !== undefined) found.add(`${place} of ${what}: ${leak}`);
        }
      };
      for (const ask of all.filter((_, at) => at % step === 0)) {
        const { status, shown } = await server.send(ask);
        search(`${ask.method} ${ask.path.slice(0, 60)} ${ask.headers?.['content-type'] ?? ''}`, shown);
        if (status >= 400) refused++;
        else if (ask.path.startsWith(STORED) && ask.method !== 'GET') await server.restore();
      }
      search('all', await server.afterwards());
      expect([...found].slice(0, 20)).toEqual([]);
      expect(refused).toBeGreaterThanOrEqual(Math.floor(least / step));
    },
    TIMEOUT_MS,
  );
});

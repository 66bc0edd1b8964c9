import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_LEVELS } from '../../apiserver/audit/trail.ts';
import { LONG } from '../long.ts';
import { patches, writes } from './canary-bodies.ts';
import { certificateRequests, credentials, reviews, successes, tokenRequests } from './canary-credentials.ts';
import { defects, overQuota, webhookAnswers } from './canary-failures.ts';
import { startCanaryServer } from './canary-server.ts';
import { type CanaryRequest, STORED, leakIn } from './canary.ts';

/** Error paths. A new error path needs a row here; all captured text is searched for each row. */
const PATHS: readonly {
  readonly name: string;
  readonly requests: () => Iterable<CanaryRequest>;
  readonly refused: number;
}[] = [
  { name: 'writes', requests: writes, refused: 100 },
  { name: 'patches', requests: patches, refused: 100 },
  { name: 'credentials', requests: credentials, refused: 20 },
  { name: 'token reviews', requests: reviews, refused: 5 },
  { name: 'token requests', requests: tokenRequests, refused: 5 },
  { name: 'certificate requests', requests: certificateRequests, refused: 10 },
  { name: 'answers of webhooks', requests: webhookAnswers, refused: 50 },
  { name: 'quotas', requests: overQuota, refused: 3 },
  { name: 'successes', requests: successes, refused: 0 },
  { name: 'defects and damaged values', requests: defects, refused: 6 },
];

/**
 * Returns the sampling step of a short run. Steps are prime, so that each part of a table is sampled. The
 * highest level records a superset of the other levels, so it is sampled most.
 */
const stepAt = (level: string, requests: number): number => {
  if (LONG) return 1;
  if (level === 'RequestResponse') return requests > 3_000 ? 17 : 1;
  return requests > 3_000 ? 71 : 23;
};
const TIMEOUT_MS = LONG ? 600_000 : 60_000;

describe.each(AUDIT_LEVELS)('at audit level %s', (level) => {
  let server: Awaited<ReturnType<typeof startCanaryServer>>;
  beforeAll(async () => {
    server = await startCanaryServer(level);
  });
  afterAll(() => server.stop());

  it.each(PATHS)(
    'leaks no value of a Secret and no token for $name',
    async ({ requests, refused: least }) => {
      const found = new Set<string>();
      const all = [...requests()];
      const step = stepAt(level, all.length);
      let refused = 0;
      const search = (what: string, shown: Readonly<Record<string, string>>): void => {
        for (const [place, text] of Object.entries(shown)) {
          const leak = leakIn(text);
          if (leak !== undefined) found.add(`${place} of ${what}: ${leak}`);
        }
      };
      for (const request of all.filter((_, at) => at % step === 0)) {
        const { status, shown } = await server.send(request);
        search(
          `${request.method} ${request.path.slice(0, 60)} ${request.headers?.['content-type'] ?? ''}`,
          shown,
        );
        if (status >= 400) refused++;
        else if (request.path.startsWith(STORED) && request.method !== 'GET') await server.restore();
      }
      search('all', await server.afterwards());
      expect([...found].slice(0, 20)).toEqual([]);
      expect(refused).toBeGreaterThanOrEqual(Math.floor(least / step));
    },
    TIMEOUT_MS,
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counts, histories, play } from './history.ts';

describe('watch histories', () => {
  it('deliver each event once and in order to every watcher and informer, despite restarts, compactions and stalls', async () => {
    await fc.assert(fc.asyncProperty(histories, play), { numRuns: 500 });
    for (const [what, count] of Object.entries(counts)) expect(count, what).toBeGreaterThan(5);
  }, 120_000);
});

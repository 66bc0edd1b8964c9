import { afterAll, describe, it } from 'vitest';
import { expectSeedsToPass } from './chaos-seeds.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

// `test:full` and `.ci/run` run ten times as many seeds.
describe('random runs of all controllers together', () => {
  it('violate no invariant in 50 seeds', () => expectSeedsToPass(bench, 50), 600_000);
});

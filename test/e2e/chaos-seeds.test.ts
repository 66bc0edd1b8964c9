import { afterAll, describe, it } from 'vitest';
import { expectSeedsToPass } from './chaos-seeds.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

// `test:full` and `.ci/run` run five times as many seeds.
describe('random runs of all controllers together', () => {
  it('violate no invariant in 200 seeds', () => expectSeedsToPass(bench, 200), 600_000);
});

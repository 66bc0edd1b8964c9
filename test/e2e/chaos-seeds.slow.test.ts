import { afterAll, describe, it } from 'vitest';
import { expectSeedsToPass } from './chaos-seeds.ts';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

describe('random runs of all controllers together', () => {
  it('violate no invariant in 100 seeds', () => expectSeedsToPass(bench, 100), 1_200_000);
});

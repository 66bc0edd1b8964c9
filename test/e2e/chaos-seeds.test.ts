import { constants, setPriority } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { createWorkbench } from './process.ts';

const bench = createWorkbench();
afterAll(() => bench.close());

/** Of `npm run chaos:smoke`, which runs as many of these seeds as fit in half a minute: 13 minutes of faults, then 20 of calm. */
const SEEDS = 2_000;
const WHICH = ['--lasts', '20m', '--budget', '12', '--accept-vacuous'];

describe('the random runs of every change', () => {
  it(`${SEEDS} lives of all controllers together break nothing`, async () => {
    const argv = ['chaos', 'run', '--seeds', String(SEEDS), ...WHICH];
    const program = bench.orch(argv, { cwd: bench.folder() });
    // What other tests leave of the processor is enough, and they wait for nothing.
    setPriority(program.pid, constants.priority.PRIORITY_LOW);
    const { code } = await program.exit(1_200_000);
    expect(program.stdout).toMatch(new RegExp(`^(PASS|VACUOUS) {2}${SEEDS} seeds, `));
    expect(code).toBe(0);
  }, 1_200_000);
});

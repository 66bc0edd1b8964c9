import { constants, setPriority } from 'node:os';
import { expect } from 'vitest';
import type { Workbench } from './process.ts';

/** Options of `npm run chaos:smoke`: 13 minutes of faults, then 20 without. */
const WHICH = ['--lasts', '20m', '--budget', '12', '--accept-vacuous'];

/** Runs seeds of all controllers together, and expects no violated invariant. */
export async function expectSeedsToPass(bench: Workbench, seeds: number): Promise<void> {
  const argv = ['chaos', 'run', '--seeds', String(seeds), ...WHICH];
  const program = bench.orch(argv, { cwd: bench.folder() });
  // Runs at low priority, so that other tests do not time out.
  setPriority(program.pid, constants.priority.PRIORITY_LOW);
  const { code } = await program.exit(1_200_000);
  expect(program.stdout).toMatch(new RegExp(`^(PASS|VACUOUS) {2}${seeds} seeds, `, 'm'));
  expect(code).toBe(0);
}

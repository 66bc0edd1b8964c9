import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/longest-first.ts';

const ignored = ['**/node_modules/**', 'dist/**'];
/** Tests that start the built program. */
const programs = ['test/e2e/**/*.test.ts', 'test/interop/**/*.test.ts'];
/** Tests that take long. `npm test` skips them; `npm run test:full` and `.ci/run` run them. */
const slow = ['**/*.slow.test.ts'];

export default defineConfig({
  // Resolves `orch/…` to the sources of this package, as tsconfig.json does.
  ssr: { resolve: { conditions: [...defaultServerConditions, 'orch-source'] } },
  test: {
    // The limits are high for a busy machine: a test that hangs is reported later, but a slow test passes.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/not-run.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['**/*.test.ts'],
          exclude: [...ignored, ...programs, ...slow],
          // No test replaces a module or changes its state. Loading each module once per process halves the
          // duration of all tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: programs,
          exclude: [...ignored, ...slow],
          globalSetup: './test/e2e/build.ts',
          // These tests mostly wait for the programs that they start.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slow,
          exclude: ignored,
          globalSetup: './test/e2e/build.ts',
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});

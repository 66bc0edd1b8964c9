import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { readSettings } from './settings.ts';

const { rooms, workers } = readSettings();

/** Runs the unit tests next to the mutated sources, in the instrumented copy to which this file belongs. */
export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  ssr: { resolve: { conditions: [...defaultServerConditions, 'orch-source'] } },
  test: {
    include: [...new Set(Object.values(rooms))].map(
      (room) => `{base,controllers,machines,runtime}/**/${room}/**/*.test.ts`,
    ),
    exclude: ['**/*.slow.test.ts', '**/*-soak.test.ts'],
    pool: 'forks',
    isolate: false,
    maxWorkers: workers,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    runner: join(import.meta.dirname, 'runner.ts'),
    reporters: [join(import.meta.dirname, 'progress.ts')],
    dangerouslyIgnoreUnhandledErrors: true,
  },
});

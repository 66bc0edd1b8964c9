import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SourceMutant } from './source-mutant.ts';

/** Result of a mutant in unit tests. */
export interface TestFate {
  readonly verdict: 'caught' | 'passed' | 'not reached';
  /** Name of the first test that failed; '' if none did. */
  readonly by: string;
  /** Number of tests that reached the place of the mutant. */
  readonly tests: number;
}

export interface UnitTestOptions {
  /** Directory of the instrumented copy. */
  readonly folder: string;
  readonly workers: number;
  /** Time limit in milliseconds for the tests of one mutant. */
  readonly budgetMs: number;
  readonly onProgress: (text: string) => void;
}

/** Name of the file in the copy that contains the settings of its test run. */
export const SETTINGS_FILE = 'unit-tests.json';

/** Settings of a test run. */
export interface UnitTestSettings {
  /** File to which the runner appends results. */
  readonly results: string;
  readonly budgetMs: number;
  readonly workers: number;
  /** Name of the directory of each mutant's source. */
  readonly rooms: Readonly<Record<number, string>>;
}

/**
 * Returns the name of the directory of a source: that of a controller, of its machine, or of a part of the
 * runtime. Tests in a directory of the same name are the unit tests of its mutants.
 */
export const roomOf = (file: string): string => basename(dirname(file));

/**
 * Runs the unit tests of the instrumented copy once. Repeats each test with the mutants that it reaches, if
 * they are in its directory. Resolves with a result for each mutant.
 */
export async function runUnitTests(
  mutants: readonly SourceMutant[],
  options: UnitTestOptions,
): Promise<ReadonlyMap<number, TestFate>> {
  const results = join(options.folder, 'unit-tests.jsonl');
  const { budgetMs, workers } = options;
  const rooms = Object.fromEntries(mutants.map(({ id, file }) => [id, roomOf(file)]));
  const settings: UnitTestSettings = { results, budgetMs, workers, rooms };
  writeFileSync(join(options.folder, SETTINGS_FILE), JSON.stringify(settings));
  await runVitest(options);
  const ids = mutants.map(({ id }) => id);
  return fatesOf(ids, existsSync(results) ? readFileSync(results, 'utf8') : '');
}

async function runVitest({ folder, onProgress }: UnitTestOptions): Promise<void> {
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const run = spawn(process.execPath, [vitest, 'run', '--config', 'test/mutants/vitest.config.ts'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve, reject) => {
    run.once('error', reject);
    run.once('close', () => resolve());
  });
  for await (const line of createInterface({ input: run.stdout }))
    if (line.startsWith('unit tests: ')) onProgress(line);
  await ended;
}

/** Parses the result file, which has a line for each test and mutant. */
export function fatesOf(mutants: readonly number[], lines: string): ReadonlyMap<number, TestFate> {
  const reached = new Map<number, number>();
  const caught = new Map<number, string>();
  for (const line of lines.split('\n').filter(Boolean)) {
    const { mutant, test, isCaught } = JSON.parse(line) as {
      readonly mutant: number;
      readonly test: string;
      readonly isCaught: boolean;
    };
    if (!isCaught) reached.set(mutant, (reached.get(mutant) ?? 0) + 1);
    else if (!caught.has(mutant)) caught.set(mutant, test);
  }
  return new Map(
    mutants.map((mutant) => {
      const tests = reached.get(mutant) ?? 0;
      const by = caught.get(mutant) ?? '';
      const passed = tests > 0 ? ('passed' as const) : ('not reached' as const);
      return [mutant, { verdict: by === '' ? passed : 'caught', by, tests }];
    }),
  );
}

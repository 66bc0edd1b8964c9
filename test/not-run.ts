import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { notRunFile } from './services.ts';

/**
 * Reporter that prints at the end of a run which suites were skipped and why, so that no skip goes unnoticed.
 * Also prints one line of counts for programs.
 */
export default class NotRunReporter implements Reporter {
  readonly #file = notRunFile(process.pid);

  onInit(): void {
    process.env['NOT_RUN_FILE'] = this.#file;
    rmSync(this.#file, { force: true });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    process.stdout.write(`${this.#notRun()}\n${closingLine(modules, unhandled.length)}\n`);
  }

  #notRun(): string {
    if (!existsSync(this.#file)) return '';
    const lines = [...new Set(readFileSync(this.#file, 'utf8').split('\n').filter(Boolean))];
    rmSync(this.#file, { force: true });
    return `\n Suites not run\n${lines.map((line) => `   ${line}\n`).join('')}`;
  }
}

/**
 * Returns `N passed, N failed, N skipped`. A hook that fails, or a file that cannot be loaded, counts as a
 * failure.
 */
function closingLine(modules: readonly TestModule[], unhandled: number): string {
  const counts = { passed: 0, failed: unhandled, skipped: 0, pending: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) counts[test.result().state] += 1;
    const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
    counts.failed += suites.length + (module.errors().length > 0 ? 1 : 0);
  }
  return `${counts.passed} passed, ${counts.failed + counts.pending} failed, ${counts.skipped} skipped`;
}

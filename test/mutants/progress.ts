import type { Reporter } from 'vitest/node';

/** Reporter that prints one line for each test file that ended. The runner writes the results of tests. */
export default class ProgressReporter implements Reporter {
  #files = 0;

  onTestModuleEnd(): void {
    process.stdout.write(`unit tests: ${++this.#files} files\n`);
  }
}

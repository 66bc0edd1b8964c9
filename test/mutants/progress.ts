import type { Reporter } from 'vitest/node';

/** Prints one line for each test file that ended; results of tests are written by the runner. */
export default class ProgressReporter implements Reporter {
  #files = 0;

  onTestModuleEnd(): void {
    process.stdout.write(`unit tests: ${++this.#files} files\n`);
  }
}

import { appendFileSync } from 'node:fs';
import { type RunnerTestCase, TestRunner } from 'vitest';
import { limitSwitches, switchMutant, switchesLeft, takeReached } from '../../chaos/mutants/source/switch.ts';
import { readSettings } from './settings.ts';

/** A line of the result file: a test that reached the mutant's place, and whether it failed or passed. */
export interface TestedMutant {
  readonly mutant: number;
  readonly test: string;
  readonly isCaught: boolean;
}

/**
 * Path of the result file, time limit in milliseconds for all tests of one mutant, and directories of
 * mutants.
 */
const { results, budgetMs, rooms } = readSettings();
/**
 * Factor by which a mutant may be slower than the original. Some milliseconds are added for a busy machine.
 */
const SLOWER = 10;
const LATE_MS = 3_000;
const SWITCHES_FACTOR = 50;
const SWITCHES_MORE = 1_000_000;
const MOST_SWITCHES = 1e9;
/**
 * Number of runs of the original before the first mutant. The second run shows whether the test can be
 * repeated.
 */
const CALM_RUNS = 2;

const now = performance.now.bind(performance);
const { setTimeout, clearTimeout } = globalThis;
const caught = new Set<number>();
const spentMs = new Map<number, number>();

/** State of the test that is being repeated. */
interface Repeated {
  readonly waiting: number[];
  calmMs: number;
  switches: number;
  startMs: number;
  /** Number of the mutant that is on; 0 for none. */
  active: number;
  isChecking: boolean;
}

/**
 * Runner that executes each test on the original first, which shows the mutants that the test reaches, and
 * then with each of these mutants. After a failure, it runs the original again. If the test then fails, the
 * test keeps state between its runs and is not repeated further.
 */
export default class MutantRunner extends TestRunner {
  #repeated: Repeated | undefined;

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    test.repeats = Number.MAX_SAFE_INTEGER;
    this.#repeated = { waiting: [], calmMs: 0, switches: 0, startMs: 0, active: 0, isChecking: false };
  }

  override onBeforeTryTask(test: RunnerTestCase): void {
    super.onBeforeTryTask(test);
    const repeated = this.#repeated;
    if (!repeated) return;
    if (test.result) {
      test.result.state = 'run';
      delete test.result.errors;
    }
    repeated.startMs = now();
    takeReached();
    const { active, switches } = repeated;
    limitSwitches(active === 0 ? MOST_SWITCHES : switches * SWITCHES_FACTOR + SWITCHES_MORE);
    switchMutant(active);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = async (): Promise<void> => TestRunner.getTestFn(test)();
    const { active, calmMs } = this.#repeated ?? { active: 0, calmMs: 0 };
    if (active === 0) return run();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the mutant takes too long')), calmMs * SLOWER + LATE_MS);
    });
    try {
      await Promise.race([run(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  onAfterRetryTask(test: RunnerTestCase, { repeats }: { readonly repeats: number }): void {
    const repeated = this.#repeated;
    if (!repeated) return;
    const ms = now() - repeated.startMs;
    const isFailed = test.result?.state === 'fail';
    switchMutant(0);
    if (repeats < CALM_RUNS) this.#afterCalmRun(test, repeated, isFailed, ms, repeats);
    else if (repeated.isChecking) {
      repeated.isChecking = false;
      if (isFailed) return stop(test);
    } else this.#afterMutant(test, repeated, isFailed, ms);
    limitSwitches();
    if (repeats >= CALM_RUNS - 1 && !repeated.isChecking) next(test, repeated);
  }

  #afterCalmRun(test: RunnerTestCase, repeated: Repeated, isFailed: boolean, ms: number, nth: number): void {
    repeated.calmMs = ms;
    repeated.switches = MOST_SWITCHES - switchesLeft();
    if (nth === 0) {
      const file = `/${test.file.name}`;
      const reached = takeReached().filter((mutant) => file.includes(`/${rooms[mutant] ?? ''}/`));
      for (const mutant of reached) report({ mutant, test: test.name, isCaught: false });
      repeated.waiting.push(...reached.filter((mutant) => !caught.has(mutant)));
    }
    if (isFailed || repeated.waiting.length === 0) stop(test);
  }

  #afterMutant(test: RunnerTestCase, repeated: Repeated, isFailed: boolean, ms: number): void {
    const { active } = repeated;
    spentMs.set(active, (spentMs.get(active) ?? 0) + ms);
    repeated.active = 0;
    if (!isFailed) return;
    caught.add(active);
    report({ mutant: active, test: `${test.file.name}: ${test.name}`, isCaught: true });
    repeated.isChecking = true;
  }
}

/** Switches to the next mutant that has time left. Ends the test if there is none. */
function next(test: RunnerTestCase, repeated: Repeated): void {
  let mutant = repeated.waiting.shift();
  while (mutant !== undefined && (spentMs.get(mutant) ?? 0) + repeated.calmMs > budgetMs)
    mutant = repeated.waiting.shift();
  if (mutant === undefined) stop(test);
  else repeated.active = mutant;
}

/** Ends the repetitions, because a skipped test is not run again. */
function stop(test: RunnerTestCase): void {
  if (test.result) test.result.state = 'skip';
}

const report = (line: TestedMutant): void => appendFileSync(results, `${JSON.stringify(line)}\n`);

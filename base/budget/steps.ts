import type { Soon } from '../async/soon.ts';
import { PAUSE_WORK, type WorkBudget, charged } from './work-budget.ts';

/**
 * Work units after which work in steps lets other requests run. It is half a slice, as each step traverses
 * the completed parts again.
 */
export const STEP_WORK = 10_000;

/**
 * Runs `work` as `charged` does. For a large object, `work` is interrupted between two of its parts (see
 * `part`) once a step is spent. `work` then runs again after other requests were served, and completed parts
 * return their earlier results.
 *
 * `work` must have no side effects except caching, must call the same parts in each run, and may read a cache
 * only within a part. It runs again because JavaScript cannot suspend a call stack. Recursive code can be run
 * in this way without changes, and small objects have no extra cost.
 *
 * @param step work units after which the work is interrupted
 */
export function inSteps<T>(budget: WorkBudget | undefined, work: () => T, step: number = STEP_WORK): Soon<T> {
  if (budget === undefined || budget.spent < PAUSE_WORK) return charged(budget, work);
  return new Steps(budget, step).run(work);
}

let current: Steps | undefined;

/**
 * Runs a part of the work of `inSteps`, such as the validation of one field. The work may be interrupted
 * before a part. Parts may contain parts. Outside of `inSteps`, `part` only calls `work`.
 */
export function part<T>(work: () => T): T {
  return current === undefined ? work() : current.part(work);
}

/** True within `inSteps` of a large object, where `part` may interrupt the work. */
export const isInSteps = (): boolean => current !== undefined;

/**
 * Runs a part of the work of `inSteps` without interruption, for work that must not run again after it has
 * run halfway.
 */
export const undivided = <T>(work: () => T): T => within(undefined, work);

function within<T>(steps: Steps | undefined, work: () => T): T {
  const outer = current;
  current = steps;
  try {
    return work();
  } finally {
    current = outer;
  }
}

/**
 * One call of `part`. A call is identified by its position among the calls, which is the same in each run.
 */
class Part {
  /** Parts called within this part; undefined until the first such call, as most parts have none. */
  parts: Part[] | undefined;
  /** Index of the part that is called next. */
  next = 0;
  isDone = false;
  result: unknown;
}

/**
 * Error that ends a run of the work before all parts are completed. Code that catches this error must rethrow
 * it, as the run is abandoned.
 */
export class Interruption extends Error {}

class Steps {
  readonly #budget: WorkBudget;
  readonly #step: number;
  readonly #whole = new Part();
  #at = this.#whole;
  /** True if this run completed a part. Each run must complete at least one, or the work would never end. */
  #advanced = false;
  #interruption: Interruption | undefined;

  constructor(budget: WorkBudget, step: number) {
    this.#budget = budget;
    this.#step = step;
  }

  async run<T>(work: () => T): Promise<T> {
    for (;;) {
      const run = this.#run(work);
      if (run !== undefined) return run.result;
      // `pause` returns undefined if the caller chose a step shorter than the pause threshold.
      await this.#budget.pause();
    }
  }

  /**
   * Runs the work once. Returns undefined if the run was interrupted, even if the work has caught or wrapped
   * the interruption.
   */
  #run<T>(work: () => T): { readonly result: T } | undefined {
    this.#at = this.#whole;
    this.#whole.next = 0;
    this.#advanced = false;
    this.#interruption = undefined;
    try {
      const result = within(this, () => charged(this.#budget, work));
      return this.#wasInterrupted() ? undefined : { result };
    } catch (thrown) {
      if (this.#wasInterrupted() && this.#budget.overrun === undefined) return undefined;
      throw thrown;
    }
  }

  #wasInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  part<T>(work: () => T): T {
    if (this.#interruption !== undefined) throw this.#interruption;
    const parent = this.#at;
    const own = ((parent.parts ??= [])[parent.next] ??= new Part());
    parent.next += 1;
    if (own.isDone) return own.result as T;
    if (this.#advanced && this.#budget.spentInSlice >= this.#step)
      throw (this.#interruption = new Interruption());
    own.next = 0;
    this.#at = own;
    try {
      const result = work();
      own.isDone = true;
      own.result = result;
      own.parts = undefined;
      this.#advanced = true;
      return result;
    } finally {
      this.#at = parent;
    }
  }
}

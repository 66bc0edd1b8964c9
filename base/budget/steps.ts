import type { Soon } from '../async/soon.ts';
import { PAUSE_WORK, type WorkBudget, charged } from './work-budget.ts';

/** Units of work after which a stage in steps lets other requests run: half a slice, as the parts done are walked again. */
export const STEP_WORK = 10_000;

/**
 * Runs `work` as `charged` does. For a large object, `work` is interrupted between two of its parts (see `part`) once a
 * step is spent. It runs again after other requests were served, and completed parts return their earlier results.
 *
 * So `work` may have no side effects except caching, must call the same parts in each run, and reads a cache only within a
 * part. It runs again because JavaScript cannot suspend a call stack; recursive code needs no change for that, and small
 * objects cost nothing more.
 *
 * @param step units of work after which the work is interrupted
 */
export function inSteps<T>(budget: WorkBudget | undefined, work: () => T, step: number = STEP_WORK): Soon<T> {
  if (budget === undefined || budget.spent < PAUSE_WORK) return charged(budget, work);
  return new Steps(budget, step).run(work);
}

let current: Steps | undefined;

/**
 * Runs a part of the work of `inSteps`, such as the check of one field, before which that may be interrupted. Parts may
 * have parts. Outside of steps, just runs it.
 */
export function part<T>(work: () => T): T {
  return current === undefined ? work() : current.part(work);
}

/** True within `inSteps` of a large object: `part` may interrupt. */
export const isInSteps = (): boolean => current !== undefined;

/** Runs a part of the work of `inSteps` that cannot be run again halfway, and so must not be interrupted. */
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

/** One call of `part`, known by its place among the calls: each run makes the same ones. */
class Part {
  /** Undefined until one is called: most parts have none. */
  parts: Part[] | undefined;
  /** Index of the part that is called next. */
  next = 0;
  isDone = false;
  result: unknown;
}

/** Ends a run of the work before all of its parts are done. Code that catches it rethrows it, because the run is lost. */
export class Interruption extends Error {}

class Steps {
  readonly #budget: WorkBudget;
  readonly #step: number;
  readonly #whole = new Part();
  #at = this.#whole;
  /** True if a part was done in this run: each must do one, however much work it is to come to it. */
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
      // Not due where the caller has chosen a short step.
      await this.#budget.pause();
    }
  }

  /** Undefined: the run was interrupted, also where the work has caught that or wrapped it. */
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

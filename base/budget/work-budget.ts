import { CodedError } from '../errors/coded.ts';

/** Work units that one request may spend; about 250 ms of processor time. */
export const REQUEST_WORK = 250_000;
/** Work units that a request may spend before other requests run; about 20 ms of processor time. */
export const SLICE_WORK = 20_000;
/**
 * Work units after which a request lets other requests run between two stages. The next stage then has most
 * of a slice available.
 */
export const PAUSE_WORK = 4_000;

/**
 * Error for a request that needs more than `REQUEST_WORK` units in total, or more than `SLICE_WORK` units
 * without a pause. The client receives status 413.
 */
export class WorkBudgetError extends CodedError<'ERR_WORK_BUDGET'> {}

/**
 * Budget for the synchronous work of one request on the event loop. A unit is about a microsecond on a
 * two-core cloud machine. Work is counted instead of timed, so that the same request is rejected on every
 * machine and in simulated time.
 */
export class WorkBudget {
  readonly #limit: number;
  readonly #slice: number;
  #spent = 0;
  #pausedAt = 0;
  #overrun: WorkBudgetError | undefined;

  /**
   * @param limit maximum number of units; by default `REQUEST_WORK`
   * @param slice maximum number of units between two pauses; by default `SLICE_WORK`
   */
  constructor(limit: number = REQUEST_WORK, slice: number = SLICE_WORK) {
    this.#limit = limit;
    this.#slice = slice;
  }

  /** Returns a budget without limits, for work of the server itself. It only reports when a pause is due. */
  static unlimited(): WorkBudget {
    return new WorkBudget(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  /** Number of units spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Error for the first unit beyond a limit; undefined if no limit is exceeded. */
  get overrun(): WorkBudgetError | undefined {
    return this.#overrun;
  }

  /** Number of units spent since the last pause. */
  get spentInSlice(): number {
    return this.#spent - this.#pausedAt;
  }

  /** True if a call of `pause` would yield, as the current slice has spent `PAUSE_WORK` units. */
  get isDue(): boolean {
    return this.spentInSlice >= PAUSE_WORK;
  }

  /** Counts work that is about to be done. Throws `WorkBudgetError` if a limit is exceeded. */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#limit) throw this.#refuse('in total', this.#limit);
    if (this.spentInSlice > this.#slice) throw this.#refuse('at once', this.#slice);
  }

  #refuse(when: string, limit: number): WorkBudgetError {
    this.#overrun ??= new WorkBudgetError(
      'ERR_WORK_BUDGET',
      `the request needs more processing than one request may take ${when} (${limit} units): ` +
        'send fewer or smaller values in one request',
    );
    return this.#overrun;
  }

  /**
   * Yields to other requests between two synchronous stages. Returns undefined while the current slice has
   * spent less than `PAUSE_WORK`; otherwise returns a promise that resolves after the event loop has served
   * other requests.
   */
  pause(): Promise<void> | undefined {
    if (!this.isDue) return undefined;
    this.#pausedAt = this.#spent;
    return nextSlice();
  }
}

let lastSlice: Promise<void> = Promise.resolve();

/**
 * Resolves in a separate turn of the event loop for each caller, so that many paused requests do not form one
 * long slice.
 */
export function nextSlice(): Promise<void> {
  lastSlice = lastSlice.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastSlice;
}

let current: WorkBudget | undefined;

/**
 * Runs `work` and charges the units that it spends to `budget`. Without a budget, nothing is charged. Calls
 * may be nested. `work` must be synchronous: code after an `await` in `work` is not charged.
 *
 * Throws `WorkBudgetError` if the budget is exceeded when `work` ends, even if `work` has caught or wrapped
 * that error.
 */
export function charged<T>(budget: WorkBudget | undefined, work: () => T): T {
  const outer = current;
  current = budget;
  try {
    const result = work();
    if (budget?.overrun) {
      // The pending result may reject for the same reason, and no caller awaits the result any more.
      if (result instanceof Promise) result.catch(() => undefined);
      throw budget.overrun;
    }
    return result;
  } catch (thrown) {
    throw budget?.overrun ?? thrown;
  } finally {
    current = outer;
  }
}

/** Charges work to the budget of the surrounding `charged`. Has no effect outside of `charged`. */
export function spend(units: number): void {
  current?.spend(units);
}

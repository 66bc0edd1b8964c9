import { CodedError } from '../errors/coded.ts';

/** Units of work one request may spend: about 250 ms of processor time. */
export const REQUEST_WORK = 250_000;
/** Units of work that may be done without letting other requests run: about 20 ms of processor time. */
export const SLICE_WORK = 20_000;
/**
 * Units of work after which a request lets others run between two stages, so that the next has most of a
 * slice.
 */
export const PAUSE_WORK = 4_000;

/**
 * Error of a request that needs more synchronous work than `REQUEST_WORK` in total, or than `SLICE_WORK` at
 * once. The client receives 413.
 */
export class WorkBudgetError extends CodedError<'ERR_WORK_BUDGET'> {}

/**
 * The synchronous work of one request on the event loop, in units of about a microsecond on a two-core cloud
 * machine. Work is counted, not timed: the same request is refused on every machine, and in simulated time.
 */
export class WorkBudget {
  readonly #limit: number;
  readonly #slice: number;
  #spent = 0;
  #pausedAt = 0;
  #overrun: WorkBudgetError | undefined;

  /**
   * @param limit units granted; default `REQUEST_WORK`
   * @param slice units granted between two pauses; default `SLICE_WORK`
   */
  constructor(limit: number = REQUEST_WORK, slice: number = SLICE_WORK) {
    this.#limit = limit;
    this.#slice = slice;
  }

  /** Returns a budget that refuses nothing, for work of the server itself. It only reports when a pause is due. */
  static unlimited(): WorkBudget {
    return new WorkBudget(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  /** Units spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** The error of the first unit that was not granted. */
  get overrun(): WorkBudgetError | undefined {
    return this.#overrun;
  }

  /** Units spent since the last pause. */
  get spentInSlice(): number {
    return this.#spent - this.#pausedAt;
  }

  /** True once the current slice has spent `PAUSE_WORK`: `pause` is due. */
  get isDue(): boolean {
    return this.spentInSlice >= PAUSE_WORK;
  }

  /** Counts work that is about to be done. Throws `WorkBudgetError` once a limit is passed. */
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
   * Yields to other requests between two synchronous stages. Returns undefined while the current slice is
   * shorter than `PAUSE_WORK`, otherwise a promise that resolves after the event loop has served others.
   */
  pause(): Promise<void> | undefined {
    if (!this.isDue) return undefined;
    this.#pausedAt = this.#spent;
    return nextSlice();
  }
}

let lastSlice: Promise<void> = Promise.resolve();

/**
 * Resolves in a separate turn of the event loop, so that many paused requests do not add up to one long
 * slice.
 */
export function nextSlice(): Promise<void> {
  lastSlice = lastSlice.then(() => new Promise((resolve) => setImmediate(resolve)));
  return lastSlice;
}

let current: WorkBudget | undefined;

/**
 * Runs `work` and charges the units that it spends to `budget`. Only for synchronous work: code after an
 * `await` inside `work` is not charged. Calls may be nested; without a budget the work is free.
 *
 * Throws `WorkBudgetError` whenever the budget is overrun at the end, even if `work` has caught or wrapped
 * that error.
 */
export function charged<T>(budget: WorkBudget | undefined, work: () => T): T {
  const outer = current;
  current = budget;
  try {
    const result = work();
    if (budget?.overrun) {
      // The pending result may be rejected for the same reason, and no caller awaits it any more.
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

/** Charges work to the budget of the surrounding `charged`; no effect outside of one. */
export function spend(units: number): void {
  current?.spend(units);
}

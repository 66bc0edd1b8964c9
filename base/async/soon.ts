/**
 * Value that is available now or later. A promise costs more than many stages of a request, so code that need
 * not wait returns the value itself. The functions of this module add no promise to an available value.
 */
export type Soon<T> = T | Promise<T>;

/** Calls `use` with a value; synchronously if the value is available. */
export const whenThere = <T, U>(value: Soon<T>, use: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(use) : use(value);

/** Returns the result of `run`, or the result of `failed` if `run` throws or rejects. */
export function orElse<T>(run: () => Soon<T>, failed: (thrown: unknown) => Soon<T>): Soon<T> {
  try {
    const value = run();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (thrown) {
    return failed(thrown);
  }
}

/** Returns the result of `run`. Converts an exception of `run` to a rejection. */
export const rejecting = <T>(run: () => Soon<T>): Soon<T> =>
  orElse(run, (thrown) => Promise.reject(thrown as Error));

/**
 * Returns the result of `run` after calling `ended`. The argument of `ended` is true if `run` threw or
 * rejected.
 */
export function toTheEnd<T>(run: () => Soon<T>, ended: (failed: boolean) => void): Soon<T> {
  const given = (value: T): T => {
    ended(false);
    return value;
  };
  const refused = (thrown: unknown): never => {
    ended(true);
    throw thrown;
  };
  let value: Soon<T>;
  try {
    value = run();
  } catch (thrown) {
    return refused(thrown);
  }
  return value instanceof Promise ? value.then(given, refused) : given(value);
}

/** Runs `step` for each item in order. Waits only for steps that return a promise. */
export function inTurn<T>(items: readonly T[], step: (item: T) => Soon<void>, from = 0): Soon<void> {
  for (let at = from; at < items.length; at++) {
    const done = step(items[at] as T);
    if (done instanceof Promise) return done.then(() => inTurn(items, step, at + 1));
  }
}

/**
 * What is there at once, or comes later. A promise costs a request more than many a stage does: who need not wait gives
 * the value itself, and these functions keep it so.
 */
export type Soon<T> = T | Promise<T>;

/** What `use` makes of a value, at once where it is there. */
export const whenThere = <T, U>(value: Soon<T>, use: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(use) : use(value);

/** What `run` gives; where it throws, at once or later, what `failed` gives instead. */
export function orElse<T>(run: () => Soon<T>, failed: (thrown: unknown) => Soon<T>): Soon<T> {
  try {
    const value = run();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (thrown) {
    return failed(thrown);
  }
}

/** What `run` gives; what it throws at once as a rejection, for who promises not to throw. */
export const rejecting = <T>(run: () => Soon<T>): Soon<T> =>
  orElse(run, (thrown) => Promise.reject(thrown as Error));

/** What `run` gives or throws; `ended` is told first, and whether `run` has failed. */
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

/** Runs `step` for each item, one after the other; waits only for those that take time. */
export function inTurn<T>(items: readonly T[], step: (item: T) => Soon<void>, from = 0): Soon<void> {
  for (let at = from; at < items.length; at++) {
    const done = step(items[at] as T);
    if (done instanceof Promise) return done.then(() => inTurn(items, step, at + 1));
  }
}

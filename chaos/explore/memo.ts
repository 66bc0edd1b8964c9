/**
 * Cached results of a function with two arguments, the first of which is a part of a world.
 *
 * Equal parts are the same object (`parts.ts`), so a look-up by identity finds the results for equal parts.
 */
export type Memo<Part extends object, Result> = (part: Part, other: unknown, compute: () => Result) => Result;

export function createMemo<Part extends object, Result>(): Memo<Part, Result> {
  const known = new WeakMap<Part, Known<Result>>();
  return (part, other, compute) => {
    const first = known.get(part);
    if (!first) {
      const result = compute();
      known.set(part, { other, result });
      return result;
    }
    if (first.other === other) return first.result;
    const more = (first.more ??= new Map());
    const found = more.get(other);
    if (found !== undefined || more.has(other)) return found as Result;
    const result = compute();
    more.set(other, result);
    return result;
  };
}

/** Cached results for one part. Most parts have exactly one result, which needs no Map. */
interface Known<Result> {
  readonly other: unknown;
  readonly result: Result;
  more?: Map<unknown, Result>;
}

/** Creates a function that returns one value for each time of the clock. A value is created on first use. */
export function createByTime<T>(make: (nowMs: number) => T): (nowMs: number) => T {
  const made = new Map<number, T>();
  return (nowMs) => {
    let found = made.get(nowMs);
    if (!found) made.set(nowMs, (found = make(nowMs)));
    return found;
  };
}

/**
 * Results of a function of one part of a world and one other argument; each is computed once.
 *
 * Equal parts are the same object (`parts.ts`), so a look-up by identity finds equal parts.
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

/** Results for one part. Most parts have exactly one, which needs no Map. */
interface Known<Result> {
  readonly other: unknown;
  readonly result: Result;
  more?: Map<unknown, Result>;
}

/** Creates one value for each time that the clock shows, on first use. */
export function createByTime<T>(make: (nowMs: number) => T): (nowMs: number) => T {
  const made = new Map<number, T>();
  return (nowMs) => {
    let found = made.get(nowMs);
    if (!found) made.set(nowMs, (found = make(nowMs)));
    return found;
  };
}

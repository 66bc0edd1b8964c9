/**
 * Results of a function of one part of a world and something else, each computed once. Equal parts are one object
 * (`parts.ts`), so that a look-up by identity finds what is equal.
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

/** What is known of a part: of most one thing is, which takes no Map. */
interface Known<Result> {
  readonly other: unknown;
  readonly result: Result;
  more?: Map<unknown, Result>;
}

/** What there is one of for each time that the clock shows. */
export function createByTime<T>(make: (nowMs: number) => T): (nowMs: number) => T {
  const made = new Map<number, T>();
  return (nowMs) => {
    let found = made.get(nowMs);
    if (!found) made.set(nowMs, (found = make(nowMs)));
    return found;
  };
}

/**
 * Results of a function of one part of a world and something else, each computed once. Equal parts are one object
 * (`parts.ts`), so that a look-up by identity finds what is equal.
 */
export type Memo<Part extends object, Result> = (part: Part, other: unknown, compute: () => Result) => Result;

export function createMemo<Part extends object, Result>(): Memo<Part, Result> {
  const known = new WeakMap<Part, Map<unknown, Result>>();
  return (part, other, compute) => {
    let ofPart = known.get(part);
    if (!ofPart) known.set(part, (ofPart = new Map()));
    const found = ofPart.get(other);
    if (found !== undefined || ofPart.has(other)) return found as Result;
    const result = compute();
    ofPart.set(other, result);
    return result;
  };
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

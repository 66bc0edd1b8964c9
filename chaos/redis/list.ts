/** Returns the items from `start` to `stop` inclusive. Negative indexes count from the end, as in Redis. */
export function between<T>(items: readonly T[], start: number, stop: number): T[] {
  const from = start < 0 ? Math.max(0, items.length + start) : start;
  const to = stop < 0 ? items.length + stop : stop;
  return items.slice(from, Math.max(from, to + 1));
}

/** A Redis list. Its items are stored in reverse, because most pushes are on the left. */
export class List {
  readonly #items: string[];

  constructor(fromTheRight: readonly string[] = []) {
    this.#items = [...fromTheRight];
  }

  get length(): number {
    return this.#items.length;
  }

  pushLeft(item: string): void {
    this.#items.push(item);
  }

  pushRight(item: string): void {
    this.#items.unshift(item);
  }

  popRight(): string | undefined {
    return this.#items.shift();
  }

  /** Returns the index of an item from the left; undefined if the item is missing. */
  indexOf(item: string): number | undefined {
    const at = this.#items.lastIndexOf(item);
    return at < 0 ? undefined : this.#items.length - 1 - at;
  }

  /** Removes the first occurrence of an item, counted from the given side. */
  remove(item: string, from: 'left' | 'right'): boolean {
    const at = from === 'right' ? this.#items.indexOf(item) : this.#items.lastIndexOf(item);
    if (at < 0) return false;
    this.#items.splice(at, 1);
    return true;
  }

  /** Returns items from left to right. */
  range(start: number, stop: number): string[] {
    return between(this.#items.toReversed(), start, stop);
  }

  copy(): List {
    return new List(this.#items);
  }
}

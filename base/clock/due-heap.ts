/** Item with a due time. Items with the same due time are sorted by `order`. */
export interface Due {
  readonly dueMs: number;
  readonly order: number;
}

const before = (a: Due, b: Due): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);

/** Binary heap, sorted by due time and then by `order`. */
export class DueHeap<T extends Due> {
  #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** All items, unsorted. */
  get items(): readonly T[] {
    return this.#items;
  }

  push(item: T): void {
    let at = this.#items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfBefore(at, parent)) break;
      at = parent;
    }
  }

  /** Removes and returns the first item. */
  shift(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return first;
    this.#items[0] = last;
    this.#sink();
    return first;
  }

  /** Keeps the items for which `keep` returns true. */
  retain(keep: (item: T) => boolean): void {
    const kept = this.#items.filter(keep);
    this.#items = [];
    for (const item of kept) this.push(item);
  }

  #sink(): void {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= this.#items.length) return;
      const right = left + 1;
      const least = right < this.#items.length && this.#isBefore(right, left) ? right : left;
      if (!this.#swapIfBefore(least, at)) return;
      at = least;
    }
  }

  #isBefore(i: number, j: number): boolean {
    return before(this.#items[i] as T, this.#items[j] as T);
  }

  #swapIfBefore(i: number, j: number): boolean {
    if (!this.#isBefore(i, j)) return false;
    const held = this.#items[i] as T;
    this.#items[i] = this.#items[j] as T;
    this.#items[j] = held;
    return true;
  }
}

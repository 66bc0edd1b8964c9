/**
 * Values by small numbers that are given out again once they are free: for what is known by a number for as long as a
 * request takes. A `Map` would leave behind what `IntrusiveList` tells of.
 */
export class Slots<T> {
  readonly #values: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** The number that `value` has from now on. */
  add(value: T): number {
    const number = this.#free.pop() ?? this.#values.length;
    this.#values[number] = value;
    return number;
  }

  get(number: number): T | undefined {
    return this.#values[number];
  }

  /** No effect on a number that is free. */
  free(number: number): void {
    if (this.#values[number] === undefined) return;
    this.#values[number] = undefined;
    this.#free.push(number);
  }

  /** Those that have a number now. */
  values(): T[] {
    return this.#values.filter((value) => value !== undefined);
  }
}

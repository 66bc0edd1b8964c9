/**
 * Values by small reusable numbers, for identifiers that exist as long as a request. A `Map` would create
 * garbage for each request; see `IntrusiveList`.
 */
export class Slots<T> {
  readonly #values: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** Stores `value` and returns its number. */
  add(value: T): number {
    const number = this.#free.pop() ?? this.#values.length;
    this.#values[number] = value;
    return number;
  }

  get(number: number): T | undefined {
    return this.#values[number];
  }

  /** Releases a number. Has no effect if the number is free. */
  free(number: number): void {
    if (this.#values[number] === undefined) return;
    this.#values[number] = undefined;
    this.#free.push(number);
  }

  /** Returns all stored values. */
  values(): T[] {
    return this.#values.filter((value) => value !== undefined);
  }
}

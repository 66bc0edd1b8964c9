/**
 * How far a wall clock is off, for all threads that share it: whoever sets it sets it for all at once. A thread is handed
 * `memory`, and makes its own of it.
 */
export class SharedOffset {
  readonly memory: SharedArrayBuffer;
  readonly #ms: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#ms = new BigInt64Array(memory);
  }

  /** Whole milliseconds. */
  get ms(): number {
    return Number(Atomics.load(this.#ms, 0));
  }

  set ms(ms: number) {
    Atomics.store(this.#ms, 0, BigInt(Math.round(ms)));
  }
}

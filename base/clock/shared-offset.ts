/**
 * Offset of a wall clock that several threads share. A thread receives `memory` and creates its own instance
 * with it, so that a change applies to all threads.
 */
export class SharedOffset {
  readonly memory: SharedArrayBuffer;
  readonly #ms: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#ms = new BigInt64Array(memory);
  }

  /** Offset in whole milliseconds. */
  get ms(): number {
    return Number(Atomics.load(this.#ms, 0));
  }

  set ms(ms: number) {
    Atomics.store(this.#ms, 0, BigInt(Math.round(ms)));
  }
}

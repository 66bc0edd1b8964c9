/** How many of these share one turn of the loop. */
const SHARED = 64;

/**
 * Lets every promise come to rest that waits for nothing outside of this thread, as often as a world has steps. Between
 * two callbacks of one turn of the event loop Node lets promises settle too, so that many of these share a turn: each
 * turn of the loop asks the system whether anything has come, which takes as long as a small step.
 */
export class Turns {
  #ahead = 0;
  #resume: (() => void) | undefined;
  readonly #onTurn = (): void => {
    this.#ahead--;
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  };

  /** Resolves when they have. Asked for by one at a time. */
  next(): Promise<void> {
    if (this.#ahead === 0) for (; this.#ahead < SHARED; this.#ahead++) setImmediate(this.#onTurn);
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}

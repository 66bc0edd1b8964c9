/** Number of turns that share one turn of the event loop. */
const SHARED = 64;

/**
 * Waits until all promises have settled that depend only on this thread. A world waits once per step.
 *
 * Node.js also settles promises between two callbacks of one event loop turn, so many waits share a turn.
 * Each separate turn polls the operating system, which takes as long as a small step.
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

  /** Resolves when all promises have settled. Only one caller may wait at a time. */
  next(): Promise<void> {
    if (this.#ahead === 0) for (; this.#ahead < SHARED; this.#ahead++) setImmediate(this.#onTurn);
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}

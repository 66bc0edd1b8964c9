import type { Clock, Timer } from '../../base/clock/clock.ts';

/** How often a waiting reader looks whether changes of other resources have moved the store on. */
const POLL_MS = 100;

interface Waiting {
  readonly revision: number;
  readonly settle: (reached: boolean) => void;
}

/** Readers that wait until the cache has come to a revision. */
export class Arrivals {
  readonly #clock: Clock;
  readonly #revision: () => number;
  readonly #progress: () => Promise<void>;
  readonly #waiting = new Set<Waiting>();

  /** `progress` asks the store how far it is; it may fail, which is the same as no news. */
  constructor(clock: Clock, revision: () => number, progress: () => Promise<void>) {
    this.#clock = clock;
    this.#revision = revision;
    this.#progress = progress;
  }

  async reached(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#revision() >= revision) return true;
    await this.#ask();
    if (this.#revision() >= revision) return true;
    return timeoutMs > 0 && this.#wait(revision, timeoutMs);
  }

  /** To be called whenever the cache may have moved on. */
  check(): void {
    if (this.#waiting.size === 0) return;
    const revision = this.#revision();
    const waiting = [...this.#waiting];
    for (const each of waiting) if (each.revision <= revision) each.settle(true);
  }

  /** Nothing will arrive any more. */
  abandon(): void {
    const waiting = [...this.#waiting];
    for (const each of waiting) each.settle(false);
  }

  #ask(): Promise<void> {
    return this.#progress().catch(() => undefined);
  }

  #wait(revision: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      let poll: Timer | undefined;
      const settle = (reached: boolean): void => {
        this.#clock.clearTimeout(poll);
        this.#clock.clearTimeout(deadline);
        if (this.#waiting.delete(waiting)) resolve(reached);
      };
      const waiting: Waiting = { revision, settle };
      const look = (): void => {
        poll = this.#clock.setTimeout(() => {
          void this.#ask().then(() => {
            this.check();
            if (this.#waiting.has(waiting)) look();
          });
        }, POLL_MS);
      };
      this.#waiting.add(waiting);
      const deadline = this.#clock.setTimeout(() => settle(false), timeoutMs);
      look();
    });
  }
}

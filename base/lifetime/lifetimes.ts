import type { Clock } from '../clock/clock.ts';
import { CodedError } from '../errors/coded.ts';

/** Something that runs between a start and a stop. Construction does nothing. */
export interface Lifetime {
  readonly name: string;
  /** Resolves when it does its work; rejects when it cannot. */
  start(): Promise<void>;
  /** Resolves when it has come to rest. Must be safe after a failed or missing start. */
  stop(): Promise<void>;
}

/**
 * Starts in order, stops in reverse order. When one cannot start, those before it are stopped and its error is thrown.
 * A stop that takes longer than `graceMs` is left behind so that the others get their turn.
 */
export class Lifetimes {
  readonly #items: readonly Lifetime[];
  readonly #clock: Clock;
  readonly #graceMs: number;
  #started: Lifetime[] = [];

  constructor(items: readonly Lifetime[], options: { clock: Clock; graceMs?: number }) {
    this.#items = items;
    this.#clock = options.clock;
    this.#graceMs = options.graceMs ?? 4_000;
  }

  async start(): Promise<void> {
    for (const item of this.#items) {
      this.#started.push(item);
      try {
        await item.start();
      } catch (cause) {
        await this.stop();
        throw cause;
      }
    }
  }

  /** Names of those that did not come to rest within the grace period. */
  async stop(): Promise<readonly string[]> {
    const late: string[] = [];
    for (const item of this.#started.splice(0).reverse())
      await this.#bounded(item).catch((thrown: unknown) => {
        if (!(thrown instanceof CodedError && thrown.code === 'ERR_STOP_TIMEOUT')) throw thrown;
        late.push(item.name);
      });
    return late;
  }

  #bounded(item: Lifetime): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(
        () =>
          reject(new CodedError('ERR_STOP_TIMEOUT', `${item.name} did not stop within ${this.#graceMs} ms`)),
        this.#graceMs,
      );
      item
        .stop()
        .then(resolve, reject)
        .finally(() => this.#clock.clearTimeout(timer));
    });
  }
}

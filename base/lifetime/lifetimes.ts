import type { Clock } from '../clock/clock.ts';
import { CodedError } from '../errors/coded.ts';

/** A component with a start and a stop. Its construction has no side effects. */
export interface Lifetime {
  readonly name: string;
  /** Resolves once the component works; rejects if it cannot. */
  start(): Promise<void>;
  /** Resolves once the component has stopped. Must be safe after a failed or missing start. */
  stop(): Promise<void>;
}

/**
 * Starts components in order and stops them in reverse. If one fails to start, those before it are stopped
 * and its error is thrown. A stop that takes longer than `graceMs` (default 4,000) is abandoned, so that the
 * others are stopped too.
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

  /** Stops all components; returns the names of those that exceeded the grace period. */
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

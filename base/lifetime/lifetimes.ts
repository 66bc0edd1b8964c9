import type { Clock } from '../clock/clock.ts';
import { CodedError } from '../errors/coded.ts';

/** Component that can be started and stopped. Its construction has no side effects. */
export interface Lifetime {
  readonly name: string;
  /** Resolves once the component is ready. Rejects if it cannot start. */
  start(): Promise<void>;
  /** Resolves once the component has stopped. Callable even if `start` failed or was not called. */
  stop(): Promise<void>;
}

/**
 * Group of components that start in order and stop in reverse order. If a component fails to start, the
 * components before it are stopped and its error is thrown. A stop that takes longer than `graceMs`
 * milliseconds, by default 4,000, is abandoned, so that the other components are stopped.
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

  /** Stops all components. Returns the names of the components that exceeded the grace period. */
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

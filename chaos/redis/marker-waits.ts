import type { Clock, Timer } from '../../base/clock/index.ts';
import { connectionClosed } from './command.ts';
import type { Keyspace } from './keyspace.ts';

/** A marker in the form of a `BZPOPMIN` reply; null after a timeout. */
type Marker = readonly [key: string, member: string, score: string] | null;

interface Wait {
  readonly settle: (marker: Marker) => void;
  readonly fail: () => void;
}

/** Clients that wait for markers. The client that has waited longest gets the marker. */
export class MarkerWaits {
  readonly #clock: Clock;
  readonly #space: Keyspace;
  readonly #waits = new Map<string, Set<Wait>>();

  constructor(clock: Clock, space: Keyspace) {
    this.#clock = clock;
    this.#space = space;
  }

  /** Waits at most `seconds` for a marker; 0 waits without limit. */
  wait(key: string, seconds: number, signal?: AbortSignal): Promise<Marker> {
    if (signal?.aborted) return Promise.reject(connectionClosed());
    const there = this.#take(key);
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined;
      const end = (): void => {
        this.#clock.clearTimeout(timer);
        signal?.removeEventListener('abort', fail);
        this.#remove(key, wait);
      };
      const settle = (marker: Marker): void => {
        end();
        resolve(marker);
      };
      const fail = (): void => {
        end();
        reject(connectionClosed());
      };
      const wait: Wait = { settle, fail };
      if (seconds > 0) timer = this.#clock.setTimeout(() => settle(null), seconds * 1_000);
      signal?.addEventListener('abort', fail, { once: true });
      this.#add(key, wait);
    });
  }

  /** Delivers the markers that a command has set. */
  serve(): void {
    for (const key of this.#space.takeAppeared()) {
      for (const wait of this.#waits.get(key) ?? []) {
        const marker = this.#take(key);
        if (marker === undefined) break;
        wait.settle(marker);
      }
    }
  }

  break(): void {
    for (const waits of this.#waits.values()) for (const wait of waits) wait.fail();
  }

  #take(key: string): Marker | undefined {
    const first = this.#space.popFirst(key);
    return first && [key, first[0], String(first[1])];
  }

  #add(key: string, wait: Wait): void {
    const waits = this.#waits.get(key) ?? new Set();
    this.#waits.set(key, waits.add(wait));
  }

  #remove(key: string, wait: Wait): void {
    const waits = this.#waits.get(key);
    waits?.delete(wait);
    if (waits?.size === 0) this.#waits.delete(key);
  }
}

import { type Clock, DueHeap, type Timer } from '../../base/clock/index.ts';

interface Entry {
  readonly key: string;
  readonly dueMs: number;
  readonly order: number;
}

/** Set of keys with a due time. Each key has one due time, the earliest that was requested. */
export interface DelayedKeys {
  add(key: string, delayMs: number): void;
  readonly size: number;
  /** Drops all keys. */
  clear(): void;
}

/**
 * Creates a set that calls `due` with each key at its due time. The set arms one timer for all keys together.
 */
export const createDelayedKeys = (clock: Clock, due: (key: string) => void): DelayedKeys =>
  new KeysByTime(clock, due);

class KeysByTime implements DelayedKeys {
  readonly #clock: Clock;
  readonly #due: (key: string) => void;
  readonly #current = new Map<string, Entry>();
  readonly #heap = new DueHeap<Entry>();
  #timer: Timer | undefined;
  #armedForMs = Infinity;
  #order = 0;

  constructor(clock: Clock, due: (key: string) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  get size(): number {
    return this.#current.size;
  }

  add(key: string, delayMs: number): void {
    const entry = { key, dueMs: this.#clock.monotonic() + delayMs, order: this.#order++ };
    const known = this.#current.get(key);
    if (known !== undefined && known.dueMs <= entry.dueMs) return;
    this.#current.set(key, entry);
    this.#heap.push(entry);
    if (this.#heap.size > 2 * this.#current.size + 64) this.#heap.retain((each) => this.#isCurrent(each));
    this.#arm();
  }

  clear(): void {
    this.#current.clear();
    this.#arm();
  }

  #isCurrent(entry: Entry): boolean {
    return this.#current.get(entry.key) === entry;
  }

  #arm(): void {
    const heap = this.#heap;
    while (heap.first !== undefined && !this.#isCurrent(heap.first)) heap.shift();
    const next = heap.first?.dueMs ?? Infinity;
    if (next === this.#armedForMs) return;
    this.#clock.clearTimeout(this.#timer);
    this.#armedForMs = next;
    this.#timer =
      next === Infinity
        ? undefined
        : this.#clock.setTimeout(() => this.#fire(), next - this.#clock.monotonic());
  }

  #fire(): void {
    const heap = this.#heap;
    this.#armedForMs = Infinity;
    const nowMs = this.#clock.monotonic();
    for (let entry = heap.first; entry !== undefined && entry.dueMs <= nowMs; entry = heap.first) {
      heap.shift();
      if (!this.#isCurrent(entry)) continue;
      this.#current.delete(entry.key);
      this.#due(entry.key);
    }
    this.#arm();
  }
}

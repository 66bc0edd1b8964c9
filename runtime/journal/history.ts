import type { JournalEntry } from './entry.ts';
import { KeyHistory, type KeptReconcile } from './key-history.ts';
import { Shapes } from './shapes.ts';

/** Bounds of a history. */
export interface HistoryLimits {
  /** Maximum estimated size in bytes of all keys. Default 56 MiB. */
  readonly maxBytes?: number;
  /** Maximum estimated size in bytes of one key. Default 256 KiB. */
  readonly maxKeyBytes?: number;
  /** Maximum number of keys. Default 100,000. */
  readonly maxKeys?: number;
}

/** A finished reconcile that the history has. */
export interface ReconcileEnd {
  readonly controller: string;
  readonly key: string;
  readonly endMs: number;
  readonly outcome: JournalEntry['outcome'];
  /** Number of equal reconciles directly before this one that are not kept. */
  readonly repeats: number;
}

/** Fraction of a bound that is freed at once, so that the cost of a search for victims is shared. */
const FREED = 1 / 32;
const MIB = 1_048_576;

const bySeq = (a: JournalEntry, b: JournalEntry): number => a.seq - b.seq;

/**
 * The reconciles of each key in a budget for each key. A key exceeds the budget at its own expense: repetition
 * is dropped first, then the oldest reconciles. If all keys together are too large, the largest keys are
 * reduced to a common size, so a key of less than an equal share loses nothing.
 */
export class History {
  readonly #maxBytes: number;
  readonly #maxKeyBytes: number;
  readonly #maxKeys: number;
  readonly #controllers = new Map<string, Map<string, KeyHistory>>();
  readonly #shapes = new Shapes();
  #keys = 0;
  #bytes = 0;
  /** Called for each finished reconcile. */
  onFinished: ((key: KeyHistory, reconcile: KeptReconcile) => void) | undefined;

  constructor({ maxBytes = 56 * MIB, maxKeyBytes = 256 * 1_024, maxKeys = 100_000 }: HistoryLimits = {}) {
    this.#maxBytes = maxBytes;
    this.#maxKeyBytes = maxKeyBytes;
    this.#maxKeys = maxKeys;
  }

  /** Estimated size in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of keys. */
  get keys(): number {
    return this.#keys;
  }

  add(entry: JournalEntry): void {
    const key = this.#keyOf(entry.controller, entry.key);
    const before = key.bytes;
    const finished = key.add(entry, this.#shapes);
    if (finished !== undefined && key.bytes > this.#maxKeyBytes) key.shed(this.#maxKeyBytes * (3 / 4));
    this.#bytes += key.bytes - before;
    if (this.#bytes > this.#maxBytes) this.#shrink();
    if (finished !== undefined) this.onFinished?.(key, finished);
  }

  /** Returns the entries of one key, oldest first. */
  ofKey(key: string, controller?: string): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    for (const [name, keys] of this.#controllers) {
      const each = controller === undefined || name === controller ? keys.get(key) : undefined;
      if (each !== undefined) found.push(...allOf(each));
    }
    return found.sort(bySeq);
  }

  /** Returns the entries with a number above `since` and below `before`, oldest first. */
  between(since: number, before: number, controller?: string): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    for (const each of this.#all(controller))
      for (const entry of allOf(each)) if (entry.seq > since && entry.seq < before) found.push(entry);
    return found.sort(bySeq);
  }

  /**
   * Returns the entries of the reconciles between two times, and for each key those of its last reconcile
   * before, from which its state at each time between follows.
   */
  around(fromMs: number, toMs: number): readonly JournalEntry[] {
    const found: JournalEntry[] = [];
    for (const key of this.#all()) {
      const { kept } = key;
      let first = kept.findIndex(({ endMs }) => endMs > fromMs);
      if (first < 0) first = kept.length;
      for (let at = Math.max(0, first - 1); at < kept.length; at++) {
        const reconcile = kept[at];
        if (reconcile === undefined) break;
        if (reconcile.startMs > toMs) break;
        found.push(...key.entriesOf(reconcile));
      }
      found.push(...key.unfinished());
    }
    return found.filter(({ atMs }) => atMs <= toMs).sort(bySeq);
  }

  /** Calls `visit` for each kept reconcile. */
  finished(visit: (reconcile: ReconcileEnd) => void): void {
    for (const { controller, key, kept } of this.#all())
      for (const { endMs, outcome, repeats } of kept) visit({ controller, key, endMs, outcome, repeats });
  }

  *#all(controller?: string): Generator<KeyHistory> {
    for (const [name, keys] of this.#controllers)
      if (controller === undefined || name === controller) yield* keys.values();
  }

  #keyOf(controller: string, name: string): KeyHistory {
    let keys = this.#controllers.get(controller);
    if (keys === undefined) this.#controllers.set(controller, (keys = new Map<string, KeyHistory>()));
    let key = keys.get(name);
    if (key === undefined) {
      if (this.#keys >= this.#maxKeys) this.#evict(({ keys: count }) => count < this.#maxKeys * (1 - FREED));
      key = new KeyHistory(controller, name);
      keys.set(name, key);
      this.#keys++;
      this.#bytes += key.bytes;
    }
    return key;
  }

  /** Reduces the largest keys to a common size, then removes keys if one reconcile of each is too much. */
  #shrink(): void {
    const wanted = this.#maxBytes * (1 - FREED);
    const level = commonSize(
      [...this.#all()].map(({ bytes }) => bytes),
      wanted,
    );
    for (const key of this.#all()) {
      if (key.bytes <= level) continue;
      this.#bytes -= key.bytes;
      key.shed(level);
      this.#bytes += key.bytes;
    }
    if (this.#bytes > this.#maxBytes) this.#evict(({ bytes }) => bytes <= wanted);
  }

  /** Removes keys of deleted objects, then the keys without entries for the longest time. */
  #evict(isEnough: (history: { readonly keys: number; readonly bytes: number }) => boolean): void {
    const order = [...this.#all()].sort(
      (a, b) => Number(b.deleted) - Number(a.deleted) || a.lastMs - b.lastMs,
    );
    for (const { controller, key, bytes } of order) {
      if (isEnough(this)) return;
      this.#controllers.get(controller)?.delete(key);
      this.#keys--;
      this.#bytes -= bytes;
    }
  }
}

/** Returns the greatest size to which the largest can be reduced so that the sum is at most `wanted`. */
export function commonSize(sizes: readonly number[], wanted: number): number {
  const sorted = Float64Array.from(sizes).sort();
  let left = wanted;
  for (let at = 0; at < sorted.length; at++) {
    const size = sorted[at] ?? 0;
    const share = left / (sorted.length - at);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function allOf(key: KeyHistory): JournalEntry[] {
  return [...key.kept.flatMap((reconcile) => key.entriesOf(reconcile)), ...key.unfinished()];
}

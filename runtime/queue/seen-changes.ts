import type { Clock, Timer } from '../../base/clock/index.ts';
import { encodeKey } from './key-code.ts';
import { CLAIM_MS, REMEMBERED_MS } from './queue-server.ts';

/** Change of a key that this process has observed. */
export interface SeenChange {
  readonly key: string;
  readonly change: string;
}

interface Open extends SeenChange {
  readonly seenMs: number;
  checkMs: number;
  pauseMs: number;
}

const MAX_PAUSE_MS = 60_000;

/** Returns the name of a change in Redis. */
export const nameOf = ({ key, change }: SeenChange): string => `${encodeKey(key)} ${change}`;

/**
 * Changes observed by this process that no reconcile has covered yet (see `KeyChanges`). Each change is
 * checked after `CLAIM_MS` and then at growing intervals, up to 60 s, in case the claiming process crashed.
 */
export class SeenChanges {
  readonly #clock: Clock;
  readonly #open = new Map<string, Map<string, Open>>();
  readonly #covered = new Map<string, number>();
  /** Start of the last reconcile of each key in this process, in milliseconds on the monotonic clock. */
  readonly #started = new Map<string, number>();
  readonly #awaited = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of changes that no reconcile has covered. */
  get size(): number {
    let size = 0;
    for (const changes of this.#open.values()) size += changes.size;
    return size;
  }

  /** Records a change. Returns false if the change is already known. */
  saw(key: string, change: string): boolean {
    if (this.has(key, change)) return false;
    const seenMs = this.#clock.monotonic();
    const entry = { key, change, seenMs, checkMs: seenMs + CLAIM_MS, pauseMs: CLAIM_MS };
    const changes = this.#open.get(key);
    if (changes === undefined) this.#open.set(key, new Map([[change, entry]]));
    else changes.set(change, entry);
    this.#awaited.get(nameOf({ key, change }))?.();
    return true;
  }

  has(key: string, change: string): boolean {
    return this.#open.get(key)?.has(change) === true || this.#covered.has(nameOf({ key, change }));
  }

  /** True if a change of the key is not covered. */
  awaits(key: string): boolean {
    return this.#open.has(key);
  }

  /** Resolves once this process has observed the change, after `ms` milliseconds at the latest. */
  arrival(key: string, change: string, ms: number): Promise<void> {
    if (this.has(key, change)) return Promise.resolve();
    const name = nameOf({ key, change });
    return new Promise((resolve) => {
      const timer: Timer = this.#clock.setTimeout(() => done(), ms);
      const done = (): void => {
        this.#clock.clearTimeout(timer);
        this.#awaited.delete(name);
        resolve();
      };
      this.#awaited.set(name, done);
    });
  }

  /**
   * Records the start of a reconcile. Returns the changes that the reconcile covers: all uncovered changes of
   * the key, and the change for which the key was enqueued if this process has observed it.
   */
  begin(key: string, enqueuedFor?: string): readonly SeenChange[] {
    this.#started.delete(key);
    this.#started.set(key, this.#clock.monotonic());
    const open: readonly SeenChange[] = [...(this.#open.get(key)?.values() ?? [])];
    if (enqueuedFor === undefined || !this.#covered.has(nameOf({ key, change: enqueuedFor }))) return open;
    return [...open, { key, change: enqueuedFor }];
  }

  /**
   * True if the last reconcile of the key in this process has not covered the change. It started after the
   * change was claimed, but before this process observed the change.
   * @param claimAgeMs age of the claim at `requestedMs`
   * @param requestedMs time of the request for the claim on the monotonic clock
   */
  missed({ key, change }: SeenChange, claimAgeMs: number, requestedMs: number): boolean {
    const startedMs = this.#started.get(key);
    const seenMs = this.#open.get(key)?.get(change)?.seenMs;
    return (
      startedMs !== undefined &&
      seenMs !== undefined &&
      seenMs >= startedMs &&
      requestedMs - startedMs <= claimAgeMs
    );
  }

  /** Marks changes as covered. Returns the keys that have no uncovered changes any more. */
  cover(changes: readonly SeenChange[]): readonly string[] {
    const nowMs = this.#clock.monotonic();
    const done: string[] = [];
    for (const { key, change } of changes) {
      const open = this.#open.get(key);
      if (open?.delete(change) !== true) continue;
      this.#covered.set(nameOf({ key, change }), nowMs);
      if (open.size > 0) continue;
      this.#open.delete(key);
      done.push(key);
    }
    return done;
  }

  /** Returns up to `limit` changes that are due for a check, and deletes old entries. */
  due(limit: number): readonly SeenChange[] {
    const nowMs = this.#clock.monotonic();
    forget(this.#covered, nowMs - REMEMBERED_MS);
    forget(this.#started, nowMs - REMEMBERED_MS);
    const due: SeenChange[] = [];
    for (const changes of this.#open.values())
      for (const entry of changes.values()) {
        if (entry.checkMs > nowMs) continue;
        if (due.length === limit) return due;
        entry.pauseMs = Math.min(MAX_PAUSE_MS, entry.pauseMs * 2);
        entry.checkMs = nowMs + entry.pauseMs;
        due.push(entry);
      }
    return due;
  }
}

/**
 * Deletes entries older than `beforeMs`. Stops at the first newer entry, because the map is ordered by time.
 */
function forget(times: Map<string, number>, beforeMs: number): void {
  for (const [name, ms] of times) {
    if (ms >= beforeMs) return;
    times.delete(name);
  }
}

import type { Clock, Timer } from '../../base/clock/clock.ts';
import { encodeKey } from './key-code.ts';
import { CLAIM_MS, REMEMBERED_MS } from './queue-server.ts';

export interface SeenChange {
  readonly key: string;
  readonly change: string;
}

interface Open extends SeenChange {
  readonly seenMs: number;
  checkMs: number;
  pauseMs: number;
}

const LONGEST_PAUSE_MS = 60_000;

/** One name in Redis for a change of a key. */
export const nameOf = ({ key, change }: SeenChange): string => `${encodeKey(key)} ${change}`;

/**
 * The changes that this process has seen and that no pass has covered yet. Whoever has seen a change answers for it: it
 * asks again after `CLAIM_MS`, then after ever longer pauses, whether it is covered.
 */
export class SeenChanges {
  readonly #clock: Clock;
  readonly #open = new Map<string, Map<string, Open>>();
  readonly #covered = new Map<string, number>();
  /** When this process last began a pass of a key. */
  readonly #begun = new Map<string, number>();
  readonly #awaited = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of changes that are not covered. */
  get size(): number {
    let size = 0;
    for (const changes of this.#open.values()) size += changes.size;
    return size;
  }

  /** Takes a change in; false when it is known already. */
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

  /** Whether a change of the key is to be covered yet. */
  awaits(key: string): boolean {
    return this.#open.has(key);
  }

  /** Resolves when the change has been seen here, after `ms` at the latest. */
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

  /** A pass begins; gives the changes that it covers: those that are open, and the one it was enqueued for, if that was seen. */
  begin(key: string, enqueuedFor?: string): readonly SeenChange[] {
    this.#begun.delete(key);
    this.#begun.set(key, this.#clock.monotonic());
    const open: readonly SeenChange[] = [...(this.#open.get(key)?.values() ?? [])];
    if (enqueuedFor === undefined || !this.#covered.has(nameOf({ key, change: enqueuedFor }))) return open;
    return [...open, { key, change: enqueuedFor }];
  }

  /**
   * Whether a pass began here before the change was seen, and after a claim that was of this age at `askedMs`, on the
   * monotonic clock, or later: it did not cover it.
   */
  missed({ key, change }: SeenChange, claimAgeMs: number, askedMs: number): boolean {
    const begunMs = this.#begun.get(key);
    const seenMs = this.#open.get(key)?.get(change)?.seenMs;
    return (
      begunMs !== undefined && seenMs !== undefined && seenMs >= begunMs && askedMs - begunMs <= claimAgeMs
    );
  }

  /** Gives the keys of which no change is open any more. */
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

  /** Those to be asked about again, at most `limit`; forgets what is past. */
  due(limit: number): readonly SeenChange[] {
    const nowMs = this.#clock.monotonic();
    forget(this.#covered, nowMs - REMEMBERED_MS);
    forget(this.#begun, nowMs - REMEMBERED_MS);
    const due: SeenChange[] = [];
    for (const changes of this.#open.values())
      for (const entry of changes.values()) {
        if (entry.checkMs > nowMs) continue;
        if (due.length === limit) return due;
        entry.pauseMs = Math.min(LONGEST_PAUSE_MS, entry.pauseMs * 2);
        entry.checkMs = nowMs + entry.pauseMs;
        due.push(entry);
      }
    return due;
  }
}

/** Entries are in the order of their times. */
function forget(times: Map<string, number>, beforeMs: number): void {
  for (const [name, ms] of times) {
    if (ms >= beforeMs) return;
    times.delete(name);
  }
}

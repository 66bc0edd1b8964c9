import type { Environment } from '../../base/environment.ts';

/** Immediate add of a key that is not in Redis yet. */
export interface HeldKey {
  readonly key: string;
  readonly retries: number;
  /** Names of the changes for which the key was added. */
  readonly changes: readonly string[];
  /** True if the key is enqueued even if its changes were handled by other reconciles. */
  readonly sure: boolean;
}

/** Delayed add of a key that is not in Redis yet. */
export interface HeldTimer {
  readonly key: string;
  readonly dueMs: number;
  readonly retries: number;
}

/** Batch of adds that are not in Redis yet. */
export interface HeldAdds {
  readonly now: readonly HeldKey[];
  readonly later: readonly HeldTimer[];
}

/** Maximum number of stored adds. Further keys are dropped; the next resync enqueues them. */
const MAX_KEYS = 200_000;

/**
 * Store of adds that are not in Redis yet: for each key at most one immediate add and one delayed add, the
 * earliest.
 */
export class Outbox {
  readonly #name: string;
  readonly #environment: Environment;
  readonly #now = new Map<string, HeldKey>();
  readonly #later = new Map<string, HeldTimer>();
  #waiters: { readonly key: string; readonly resolve: (isDelivered: boolean) => void }[] = [];
  #sent: HeldAdds | undefined;
  #full = false;
  #closed = false;

  constructor(name: string, environment: Environment) {
    this.#name = name;
    this.#environment = environment;
  }

  get size(): number {
    return this.#now.size + this.#later.size;
  }

  get now(): number {
    return this.#now.size;
  }

  get later(): number {
    return this.#later.size;
  }

  hold(added: HeldKey): void {
    const { key, retries, changes, sure } = added;
    if (this.#isFull(key)) return;
    const held = this.#now.get(key);
    if (held === undefined) this.#now.set(key, added);
    else
      this.#now.set(key, {
        key,
        retries: Math.max(retries, held.retries),
        changes: [...held.changes, ...changes],
        sure: sure || held.sure,
      });
  }

  holdUntil(timer: HeldTimer): void {
    if (this.#isFull(timer.key)) return;
    const known = this.#later.get(timer.key);
    if (known === undefined || timer.dueMs < known.dueMs) this.#later.set(timer.key, timer);
  }

  /**
   * Takes up to `limit` immediate adds and up to `limit` delayed adds. Until `settle`, `delivered` counts
   * them as unsent.
   */
  take(limit: number): HeldAdds {
    const now = first(this.#now, limit);
    const later = first(this.#later, limit);
    for (const { key } of now) this.#now.delete(key);
    for (const { key } of later) this.#later.delete(key);
    this.#sent = { now, later };
    return this.#sent;
  }

  /**
   * Ends a `take` and stores `unsent` again. If a delayed add of the same key was stored since, the earlier
   * add wins.
   */
  settle(unsent: HeldAdds = { now: [], later: [] }): void {
    this.#sent = undefined;
    for (const key of unsent.now) this.hold(key);
    for (const timer of unsent.later) this.holdUntil(timer);
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ key }) => this.#holds(key));
    for (const { key, resolve } of waiters) if (!this.#holds(key)) resolve(true);
  }

  /** Resolves to true once all adds of the key were sent, or to false if the outbox is closed. */
  delivered(key: string): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    if (!this.#holds(key)) return Promise.resolve(true);
    return new Promise((resolve) => this.#waiters.push({ key, resolve }));
  }

  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#waiters.splice(0)) resolve(false);
  }

  #holds(key: string): boolean {
    if (this.#now.has(key) || this.#later.has(key)) return true;
    const is = (held: { readonly key: string }): boolean => held.key === key;
    return this.#sent !== undefined && (this.#sent.now.some(is) || this.#sent.later.some(is));
  }

  #isFull(key: string): boolean {
    if (this.size < MAX_KEYS || this.#now.has(key) || this.#later.has(key)) {
      this.#full = false;
      return false;
    }
    if (!this.#full)
      this.#environment.log.warn(
        { queue: this.#name, held: this.size },
        'redis is unreachable and the limit of held keys is reached; further keys are dropped',
      );
    this.#full = true;
    return true;
  }
}

function first<T>(held: ReadonlyMap<string, T>, limit: number): readonly T[] {
  const taken: T[] = [];
  for (const value of held.values()) {
    if (taken.length === limit) break;
    taken.push(value);
  }
  return taken;
}

import type { Environment } from '../../base/environment.ts';

/** An immediate add that is not in Redis yet. */
export interface HeldKey {
  readonly key: string;
  readonly retries: number;
  /** Names of the changes that it was added for. */
  readonly changes: readonly string[];
  /** True if the key is enqueued even if its changes are covered. */
  readonly sure: boolean;
}

/** A delayed add that is not in Redis yet. */
export interface HeldTimer {
  readonly key: string;
  readonly dueMs: number;
  readonly retries: number;
}

/** A batch of held adds. */
export interface HeldAdds {
  readonly now: readonly HeldKey[];
  readonly later: readonly HeldTimer[];
}

/** Maximum number of held keys. Keys above it are dropped and enqueued again by the next resync. */
const MAX_KEYS = 200_000;

/** Adds that are not in Redis yet: per key at most one immediate and one delayed, the earliest. */
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
    if (this.#refuses(key)) return;
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
    if (this.#refuses(timer.key)) return;
    const known = this.#later.get(timer.key);
    if (known === undefined || timer.dueMs < known.dueMs) this.#later.set(timer.key, timer);
  }

  /** Takes up to `limit` adds of each sort. They still count as held until `settle`. */
  take(limit: number): HeldAdds {
    const now = first(this.#now, limit);
    const later = first(this.#later, limit);
    for (const { key } of now) this.#now.delete(key);
    for (const { key } of later) this.#later.delete(key);
    this.#sent = { now, later };
    return this.#sent;
  }

  /** Ends a `take` and puts back what was not sent. Adds made since then stay if they are due earlier. */
  settle(unsent: HeldAdds = { now: [], later: [] }): void {
    this.#sent = undefined;
    for (const key of unsent.now) this.hold(key);
    for (const timer of unsent.later) this.holdUntil(timer);
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ key }) => this.#holds(key));
    for (const { key, resolve } of waiters) if (!this.#holds(key)) resolve(true);
  }

  /** Resolves with true once no add of the key is held, with false if the outbox is closed. */
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

  #refuses(key: string): boolean {
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

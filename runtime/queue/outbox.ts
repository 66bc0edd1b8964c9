import type { Environment } from '../../base/environment.ts';

/** An add that is to run as soon as it is in Redis. */
export interface HeldKey {
  readonly key: string;
  readonly retries: number;
  /** Those that it was added for. */
  readonly changes: readonly string[];
  /** Whether it is to run whatever becomes of its changes. */
  readonly sure: boolean;
}

export interface HeldTimer {
  readonly key: string;
  readonly dueMs: number;
  readonly retries: number;
}

export interface HeldAdds {
  readonly now: readonly HeldKey[];
  readonly later: readonly HeldTimer[];
}

/** More keys than this are not held; what is dropped comes up again at the next resync. */
const MAX_KEYS = 200_000;

/** Adds that are not in Redis yet: for each key one at once and one later, the earliest. */
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

  /** Takes up to `limit` of each sort out, until `settle`. */
  take(limit: number): HeldAdds {
    const now = first(this.#now, limit);
    const later = first(this.#later, limit);
    for (const { key } of now) this.#now.delete(key);
    for (const { key } of later) this.#later.delete(key);
    this.#sent = { now, later };
    return this.#sent;
  }

  /** Ends a `take`, with what could not be sent of it; adds made meanwhile stay where they are earlier. */
  settle(unsent: HeldAdds = { now: [], later: [] }): void {
    this.#sent = undefined;
    for (const key of unsent.now) this.hold(key);
    for (const timer of unsent.later) this.holdUntil(timer);
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ key }) => this.#holds(key));
    for (const { key, resolve } of waiters) if (!this.#holds(key)) resolve(true);
  }

  /** Resolves with true once nothing of the key is held here, with false where nothing is sent any more. */
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
        'queue holds no more keys without redis',
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

import type { Environment } from '../../base/environment.ts';

export interface HeldAdds {
  readonly now: readonly { readonly key: string; readonly retries: number }[];
  readonly later: readonly { readonly key: string; readonly delayMs: number; readonly retries: number }[];
}

interface Later {
  readonly dueMs: number;
  readonly retries: number;
}

/** More keys than this are not held; what is dropped comes up again at the next resync. */
const MAX_KEYS = 200_000;

/** Adds that are not in Redis yet: for each key one at once and one later, the earliest. */
export class Outbox {
  readonly #name: string;
  readonly #environment: Environment;
  readonly #now = new Map<string, number>();
  readonly #later = new Map<string, Later>();
  #full = false;

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

  hold(key: string, delayMs: number, retries: number): void {
    if (this.#refuses(key)) return;
    if (delayMs <= 0) this.#now.set(key, Math.max(retries, this.#now.get(key) ?? 0));
    else this.#holdLater(key, { dueMs: this.#environment.clock.monotonic() + delayMs, retries });
  }

  /** Takes up to `limit` of each sort out. */
  take(limit: number): HeldAdds & { readonly due: readonly Later[] } {
    const nowMs = this.#environment.clock.monotonic();
    const now = [...this.#now].slice(0, limit).map(([key, retries]) => ({ key, retries }));
    const entries = [...this.#later].slice(0, limit);
    for (const { key } of now) this.#now.delete(key);
    for (const [key] of entries) this.#later.delete(key);
    const later = entries.map(([key, { dueMs, retries }]) => ({
      key,
      delayMs: Math.max(0, dueMs - nowMs),
      retries,
    }));
    return { now, later, due: entries.map(([, entry]) => entry) };
  }

  /** What could not be sent; adds made meanwhile stay where they are earlier. */
  putBack(batch: ReturnType<Outbox['take']>): void {
    for (const { key, retries } of batch.now) this.hold(key, 0, retries);
    batch.later.forEach(({ key }, i) => {
      const entry = batch.due[i];
      if (entry !== undefined && !this.#refuses(key)) this.#holdLater(key, entry);
    });
  }

  #holdLater(key: string, entry: Later): void {
    const known = this.#later.get(key);
    if (known === undefined || entry.dueMs < known.dueMs) this.#later.set(key, entry);
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

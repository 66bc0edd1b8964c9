import type { Clock, Timer } from '../../base/clock/index.ts';
import { asError } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { patiently } from './patience.ts';
import type { PutOptions, Storage, Stored } from './storage.ts';
import { StorageConflict, StorageError } from './storage.ts';

/** Rule: values below `prefix` expire `ttlMs` milliseconds after their last write. */
export interface TimeToLive {
  readonly prefix: string;
  readonly ttlMs: number;
}

export interface ExpiryOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Logger;
  readonly rules: readonly TimeToLive[];
}

/** Task that deletes expired values, and the store that records their expiry. */
export interface Expiry extends Lifetime {
  /** Store that sets and renews the expiry of written values. All writes must use it. */
  readonly storage: Storage;
}

/** Maximum number of concurrent deletions. */
const WIDTH = 64;
/** Milliseconds before a retry after the store has failed. */
const RETRY_MS = 5_000;
/** Maximum number of keys in one page while existing values are read at startup. */
const PAGE = 5_000;

/**
 * Creates a task that deletes expired values as any writer does, so that watchers observe the deletions. The
 * expiry is stored with the value and survives restarts. While the process runs, the monotonic clock decides,
 * so setting the wall clock has no effect.
 */
export function createExpiry(options: ExpiryOptions): Expiry {
  return new StorageExpiry(options);
}

interface Lease {
  readonly key: string;
  readonly revision: number;
  /** Due time on the monotonic clock, in milliseconds. */
  readonly dueMs: number;
}

/** Values of one rule. All have the same time to live, so insertion order is expiry order. */
interface Leases extends TimeToLive {
  readonly byKey: Map<string, Lease>;
}

class StorageExpiry implements Expiry {
  readonly name = 'expiry';
  readonly storage: Storage;
  readonly #base: Storage;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #rules: readonly Leases[];
  #timer: Timer | undefined;
  #running = false;
  #sweeping: Promise<void> | undefined;

  constructor({ storage, clock, log, rules }: ExpiryOptions) {
    this.#base = storage;
    this.#clock = clock;
    this.#log = log;
    this.#rules = rules.map((rule) => ({ ...rule, byKey: new Map() }));
    this.storage = this.#wrap(storage);
  }

  async start(): Promise<void> {
    this.#running = true;
    const patience = { clock: this.#clock, log: this.#log };
    for (const rule of this.#rules)
      await patiently(patience, () => this.#load(rule)).catch((thrown: unknown) => {
        if (!(thrown instanceof StorageError) || thrown.code !== 'ERR_BROKEN_VALUE') throw thrown;
        this.#log.error({ err: thrown, prefix: rule.prefix }, 'existing values will not expire');
      });
    this.#arm();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#sweeping;
  }

  #wrap(base: Storage): Storage {
    return {
      revision: () => base.revision(),
      get: (key) => base.get(key),
      list: (prefix, options) => base.list(prefix, options),
      watch: (prefix, after, observer) => base.watch(prefix, after, observer),
      compact: (revision) => base.compact(revision),
      compacted: () => base.compacted(),
      close: () => base.close(),
      put: (key, value, expected, options) => {
        const rule = this.#ruleOf(key);
        if (rule === undefined) return base.put(key, value, expected, options);
        return this.#put(rule, key, value, expected, options);
      },
      delete: async (key, expected, options) => {
        const change = await base.delete(key, expected, options);
        const rule = this.#ruleOf(key);
        if ((rule?.byKey.get(key)?.revision ?? Infinity) < change.revision) rule?.byKey.delete(key);
        return change;
      },
    };
  }

  async #put(
    rule: Leases,
    key: string,
    value: Buffer,
    expected: number | 'absent',
    options?: PutOptions,
  ): Promise<Stored> {
    const expiresAtMs = this.#clock.now() + rule.ttlMs;
    const stored = await this.#base.put(key, value, expected, { ...options, expiresAtMs });
    this.#keep(rule, stored, rule.ttlMs);
    return stored;
  }

  #ruleOf(key: string): Leases | undefined {
    return this.#rules.find(({ prefix }) => key.startsWith(prefix));
  }

  async #load(rule: Leases): Promise<void> {
    const found: Stored[] = [];
    let page = await this.#base.list(rule.prefix, { limit: PAGE });
    found.push(...page.items);
    for (let last = found.at(-1); last && page.remaining > 0; last = found.at(-1)) {
      page = await this.#base.list(rule.prefix, { limit: PAGE, after: last.key, revision: page.revision });
      found.push(...page.items);
    }
    const leases = found.map((stored) => ({ stored, leftMs: this.#leftOf(rule, stored) }));
    leases.sort((a, b) => a.leftMs - b.leftMs);
    for (const { stored, leftMs } of leases) this.#keep(rule, stored, leftMs);
  }

  /**
   * Returns the remaining milliseconds, at most `ttlMs`: a wall clock that was set back must not extend the
   * life of a value.
   */
  #leftOf({ ttlMs }: TimeToLive, { expiresAtMs }: Stored): number {
    return expiresAtMs === undefined ? ttlMs : Math.min(ttlMs, Math.max(0, expiresAtMs - this.#clock.now()));
  }

  #keep({ byKey }: Leases, { key, revision }: Stored, leftMs: number): void {
    if ((byKey.get(key)?.revision ?? 0) >= revision) return;
    byKey.delete(key);
    byKey.set(key, { key, revision, dueMs: this.#clock.monotonic() + leftMs });
    this.#arm();
  }

  #arm(): void {
    if (!this.#running || this.#timer !== undefined || this.#sweeping !== undefined) return;
    const dueMs = Math.min(...this.#rules.map(({ byKey }) => byKey.values().next().value?.dueMs ?? Infinity));
    if (dueMs === Infinity) return;
    this.#armIn(Math.max(0, dueMs - this.#clock.monotonic()));
  }

  #armIn(delayMs: number): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#sweeping = this.#sweep()
        .then(
          () => 0,
          (thrown: unknown) => {
            this.#log.warn({ err: asError(thrown) }, 'expired values could not be deleted');
            return RETRY_MS;
          },
        )
        .then((waitMs) => {
          this.#sweeping = undefined;
          if (waitMs > 0 && this.#running) this.#armIn(waitMs);
          else this.#arm();
        });
    }, delayMs);
  }

  async #sweep(): Promise<void> {
    for (const rule of this.#rules)
      for (let due = this.#due(rule); due.length > 0 && this.#running; due = this.#due(rule))
        await Promise.all(due.map((lease) => this.#end(rule, lease)));
  }

  #due({ byKey }: Leases): readonly Lease[] {
    const due: Lease[] = [];
    for (const lease of byKey.values()) {
      if (due.length === WIDTH || lease.dueMs > this.#clock.monotonic()) break;
      due.push(lease);
    }
    return due;
  }

  async #end(rule: Leases, lease: Lease): Promise<void> {
    const { byKey } = rule;
    try {
      await this.#base.delete(lease.key, lease.revision);
    } catch (thrown) {
      if (!(thrown instanceof StorageConflict)) throw thrown;
      // The value was written again just before the deletion, so its expiry counts from that write.
      if (thrown.current) this.#keep(rule, thrown.current, this.#leftOf(rule, thrown.current));
    }
    if (byKey.get(lease.key)?.revision === lease.revision) byKey.delete(lease.key);
  }
}

import { expired } from '../../api/status/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { asError } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { CacheChange, Watcher } from './watch-cache.ts';

/** Limits of the event window. The oldest changes beyond any limit are dropped. */
export interface RingLimits {
  /** Maximum number of changes. Default: 10,000. */
  readonly windowSize?: number;
  /** Maximum age of a change in milliseconds, except for the newest 100. Default: 5 minutes. */
  readonly windowMs?: number;
  /** Maximum size of the values, in bytes. The newest change is always retained. Default: 64 MiB. */
  readonly windowBytes?: number;
}

/**
 * Number of changes retained at any age, so that a client that reconnects to a quiet resource need not list
 * again.
 */
const KEPT_REGARDLESS_OF_AGE = 100;

interface Slot {
  readonly change: CacheChange;
  readonly atMs: number;
}

/** Position of a watcher in the ring. */
interface Cursor {
  readonly prefix: string;
  readonly watcher: Watcher;
  /** Number of the next change to read, counted from the first change ever. */
  next: number;
  /** Changes up to this revision were delivered, or precede the start of the watch. */
  seen: number;
  state: 'open' | 'parked' | 'ended';
  pumping: boolean;
}

/** Newest changes of a resource, and the watchers that read them, each at its own pace. */
export class Ring {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limits: Required<RingLimits>;
  readonly #cursors = new Set<Cursor>();
  readonly #parked = new Set<Cursor>();
  #slots: (Slot | undefined)[] = [];
  /** Index in `#slots` of the oldest change. */
  #head = 0;
  /** Number of the change at index 0 of `#slots`, counted from the first change ever. */
  #base = 0;
  #bytes = 0;
  #oldest = 0;
  /** Error with which watchers end after `close`. */
  #closed: Error | undefined;

  constructor({ clock, log, ...limits }: { clock: Clock; log: Logger } & RingLimits) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = {
      windowSize: Math.max(1, limits.windowSize ?? 10_000),
      windowMs: limits.windowMs ?? 300_000,
      windowBytes: limits.windowBytes ?? 64 * 2 ** 20,
    };
  }

  /** Oldest revision after which a watch can start. */
  get oldest(): number {
    return this.#oldest;
  }

  get #first(): number {
    return this.#base + this.#head;
  }

  get #end(): number {
    return this.#base + this.#slots.length;
  }

  /**
   * Drops all changes and restarts after `revision`, as the changes before it are not known. All watchers are
   * ended.
   */
  restart(revision: number): void {
    this.#base = this.#end;
    this.#slots = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#oldest = revision;
    this.#closed = undefined;
    // Iterates over a copy, as an ended watcher may watch again from its callback.
    const cursors = [...this.#cursors];
    for (const cursor of cursors) this.#end410(cursor);
  }

  append(change: CacheChange): void {
    // An integer is stored in the slot itself; a fraction would need a heap object.
    this.#slots.push({ change, atMs: Math.floor(this.#clock.monotonic()) });
    this.#bytes += change.entry.value.length;
    this.#trim();
    for (const cursor of this.#cursors) if (cursor.state === 'open') this.#pump(cursor);
  }

  watch(prefix: string, after: number, watcher: Watcher): () => void {
    if (this.#closed) {
      watcher.onEnd(this.#closed);
      return () => {};
    }
    if (after < this.#oldest) throw tooOld(after, this.#oldest);
    const next = this.#after(after);
    const cursor: Cursor = { prefix, watcher, next, seen: after, state: 'open', pumping: false };
    this.#cursors.add(cursor);
    watcher.onReady(() => {
      if (cursor.state === 'ended') return;
      cursor.state = 'open';
      this.#parked.delete(cursor);
      this.#pump(cursor);
    });
    this.#pump(cursor);
    return () => this.#remove(cursor);
  }

  /** Ends every watcher, including watchers that are added before the next `restart`. */
  close(error: Error): void {
    this.#closed = error;
    const cursors = [...this.#cursors];
    for (const cursor of cursors) this.#finish(cursor, error);
  }

  /** Delivers the changes after a cursor's position until its watcher has no room. */
  #pump(cursor: Cursor): void {
    if (cursor.pumping) return;
    cursor.pumping = true;
    while (cursor.state === 'open' && cursor.next < this.#end) {
      if (cursor.next < this.#first) {
        this.#end410(cursor);
        break;
      }
      const change = this.#slots[cursor.next - this.#base]?.change;
      cursor.next++;
      if (!change || change.revision <= cursor.seen) continue;
      cursor.seen = change.revision;
      if (change.entry.key.startsWith(cursor.prefix)) this.#deliver(cursor, change);
    }
    cursor.pumping = false;
  }

  #deliver(cursor: Cursor, change: CacheChange): void {
    // Parked before the delivery, so that a `resume` during `deliver` takes effect.
    cursor.state = 'parked';
    try {
      const room = cursor.watcher.deliver(change);
      if (room && cursor.state === 'parked') cursor.state = 'open';
      if (cursor.state === 'parked') this.#parked.add(cursor);
    } catch (thrown) {
      this.#log.error({ err: asError(thrown), prefix: cursor.prefix }, 'a watcher failed and was ended');
      this.#finish(cursor, asError(thrown));
    }
  }

  #trim(): void {
    const { windowSize, windowMs, windowBytes } = this.#limits;
    const before = this.#head;
    const deadMs = this.#clock.monotonic() - windowMs;
    for (let slot = this.#slots[this.#head]; slot; slot = this.#slots[this.#head]) {
      const size = this.#slots.length - this.#head;
      const old = slot.atMs < deadMs && size > KEPT_REGARDLESS_OF_AGE;
      if (!(size > windowSize || old || (this.#bytes > windowBytes && size > 1))) break;
      this.#bytes -= slot.change.entry.value.length;
      this.#oldest = slot.change.revision;
      this.#slots[this.#head++] = undefined;
    }
    if (this.#head === before) return;
    if (this.#head >= 1_024 && this.#head * 2 >= this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#base += this.#head;
      this.#head = 0;
    }
    for (const cursor of this.#parked) if (cursor.next < this.#first) this.#end410(cursor);
  }

  /** Returns the number of the first change after `revision`. */
  #after(revision: number): number {
    let low = this.#head;
    let high = this.#slots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#slots[middle]?.change.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#base + low;
  }

  #end410(cursor: Cursor): void {
    this.#finish(cursor, tooOld(cursor.seen, this.#oldest));
  }

  #finish(cursor: Cursor, error: Error): void {
    if (cursor.state === 'ended') return;
    this.#remove(cursor);
    try {
      cursor.watcher.onEnd(error);
    } catch (thrown) {
      this.#log.error({ err: asError(thrown), prefix: cursor.prefix }, 'a watcher could not be ended');
    }
  }

  #remove(cursor: Cursor): void {
    cursor.state = 'ended';
    this.#cursors.delete(cursor);
    this.#parked.delete(cursor);
  }
}

/** Returns upstream's 410. The second number is the oldest version from which a watch can start. */
const tooOld = (revision: number, oldest: number): Error =>
  expired(`too old resource version: ${revision} (${oldest})`);

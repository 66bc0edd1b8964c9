import type { JournalEntry } from './entry.ts';
import { EntrySequence, type Shapes } from './shapes.ts';

/** One finished reconcile of a key. */
export interface KeptReconcile {
  readonly reconcileId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: JournalEntry['outcome'];
  /** Entries before the start, which enqueued the key. */
  readonly causes: EntrySequence | undefined;
  readonly entries: EntrySequence;
  /**
   * True if the object was created or deleted, or if a user requested the reconcile. Such a reconcile is no
   * repetition.
   */
  readonly turning: boolean;
  /** Number of equal reconciles directly before this one that are not kept. */
  repeats: number;
  readonly bytes: number;
}

interface Running {
  readonly reconcileId: string;
  readonly causes: EntrySequence | undefined;
  readonly turning: boolean;
  readonly entries: EntrySequence;
  readonly startMs: number;
  /** Size of the shapes that no earlier reconcile had. */
  shapeBytes: number;
}

/** Maximum number of reconciles at the end of a run of equal reconciles. The first is kept as well. */
const RUN_END = 3;
/** Maximum number of entries before a reconcile. */
const MAX_WAITING = 8;
/** Maximum number of entries of a reconcile. Beyond it, only states and the end are kept, up to twice as many. */
const MAX_ENTRIES = 300;
const KEY_BYTES = 400;
const RECONCILE_BYTES = 160;
const WAITING_BYTES = 300;

/** True if two reconciles are equal, apart from times, names and versions. */
export const isRepetition = (a: KeptReconcile | undefined, b: KeptReconcile | undefined): boolean =>
  a !== undefined && b !== undefined && a.entries.shape === b.entries.shape && !a.turning && !b.turning;

/** True if two reconciles end in the same state for the same reason, on the same or on different ways. */
const endAlike = (a: KeptReconcile | undefined, b: KeptReconcile | undefined): boolean =>
  a !== undefined && b !== undefined && a.entries.shape.endsLike(b.entries.shape) && !a.turning && !b.turning;

/** True for the entry of a key that a user enqueued. It names the user. */
const isRequested = ({ kind, reason }: JournalEntry): boolean => kind === 'enqueued' && reason !== undefined;

/** The kept reconciles of one key of a controller, and the entries since the last of them. */
export class KeyHistory {
  readonly controller: string;
  readonly key: string;
  #kept: KeptReconcile[] = [];
  #waiting: JournalEntry[] = [];
  #running: Running | undefined;
  /** True if the object was deleted and its last reconcile settled. */
  deleted = false;
  #leaving = false;
  lastMs = 0;
  bytes: number;

  constructor(controller: string, key: string) {
    this.controller = controller;
    this.key = key;
    this.bytes = KEY_BYTES + key.length;
  }

  get kept(): readonly KeptReconcile[] {
    return this.#kept;
  }

  /** Adds an entry. Returns the reconcile that it ends. */
  add(entry: JournalEntry, shapes: Shapes): KeptReconcile | undefined {
    this.lastMs = entry.atMs;
    if (entry.reconcileId === undefined) this.#wait(entry);
    else if (entry.kind === 'reconcile.started') this.#start(entry, entry.reconcileId, shapes);
    else if (entry.reconcileId === this.#running?.reconcileId)
      return this.#continue(entry, this.#running, shapes);
    return undefined;
  }

  #wait(entry: JournalEntry): void {
    if (entry.cause?.object === this.key) this.#leaving = entry.cause.type === 'DELETED';
    this.#waiting.push(entry);
    this.bytes += WAITING_BYTES;
    if (this.#waiting.length <= MAX_WAITING) return;
    const foreign = this.#waiting.findIndex((each) => each.cause?.object !== this.key && !isRequested(each));
    this.#waiting.splice(Math.max(0, foreign), 1);
    this.bytes -= WAITING_BYTES;
  }

  #start(entry: JournalEntry, reconcileId: string, shapes: Shapes): void {
    const waiting = this.#waiting;
    let causes: EntrySequence | undefined;
    let turning = false;
    if (waiting.length > 0) {
      causes = new EntrySequence(shapes.root);
      for (const each of waiting) {
        causes.add(shapes, each);
        if (isRequested(each)) turning = true;
        if (each.cause?.object === this.key && each.cause.type !== 'MODIFIED' && each.cause.type !== 'RESYNC')
          turning = true;
      }
      causes.trim();
      this.bytes -= WAITING_BYTES * waiting.length;
      this.#waiting = [];
    }
    const entries = new EntrySequence(shapes.root);
    entries.add(shapes, entry);
    this.#running = { reconcileId, causes, turning, entries, startMs: entry.atMs, shapeBytes: 0 };
  }

  #continue(entry: JournalEntry, running: Running, shapes: Shapes): KeptReconcile | undefined {
    const { entries } = running;
    const ends = entry.kind === 'reconcile.finished';
    const full = entries.length >= (entry.kind === 'state' ? 2 * MAX_ENTRIES : MAX_ENTRIES);
    const { created } = shapes;
    if (!full || ends) entries.add(shapes, entry);
    running.shapeBytes += shapes.created - created;
    if (!ends) return undefined;
    this.#running = undefined;
    this.deleted = this.#leaving && entry.outcome === 'settled';
    entries.trim();
    const { reconcileId, causes, turning, startMs } = running;
    const kept: KeptReconcile = {
      reconcileId,
      startMs,
      endMs: entry.atMs,
      outcome: entry.outcome,
      causes,
      entries,
      turning,
      repeats: entry.repeats ?? 0,
      bytes: RECONCILE_BYTES + running.shapeBytes + reconcileId.length + entries.bytes + (causes?.bytes ?? 0),
    };
    this.#keep(kept);
    return kept;
  }

  /** Keeps a reconcile. The middle of a run of equal reconciles that write nothing is folded at once. */
  #keep(reconcile: KeptReconcile): void {
    const kept = this.#kept;
    kept.push(reconcile);
    this.bytes += reconcile.bytes;
    const first = kept.length - 2 - RUN_END;
    if (reconcile.entries.shape.writes || first < 0) return;
    for (let at = first; at < kept.length - 1; at++) if (!isRepetition(kept[at], kept[at + 1])) return;
    const [dropped] = kept.splice(first + 1, 1);
    if (dropped !== undefined) this.#fold(dropped, kept[first + 1]);
  }

  #fold(dropped: KeptReconcile, into: KeptReconcile | undefined): void {
    if (into !== undefined) into.repeats += dropped.repeats + 1;
    this.bytes -= dropped.bytes;
  }

  /**
   * Drops equal reconciles, then those that change nothing at the end, then the oldest, until the size is at most
   * `bytes` or one is left.
   */
  shed(bytes: number): void {
    this.#shedMiddles(bytes, isRepetition);
    this.#shedMiddles(bytes, endAlike);
    let dropped = 0;
    while (this.bytes > bytes && dropped < this.#kept.length - 1)
      this.bytes -= this.#kept[dropped++]?.bytes ?? 0;
    if (dropped > 0) this.#kept = this.#kept.slice(dropped);
  }

  /** Drops reconciles between two similar ones, oldest first. */
  #shedMiddles(bytes: number, isSimilar: typeof isRepetition): void {
    if (this.bytes <= bytes) return;
    const all = this.#kept;
    const left: KeptReconcile[] = [];
    all.forEach((each, at) => {
      const following = all[at + 1];
      const isMiddle =
        at < all.length - RUN_END && isSimilar(left.at(-1), each) && isSimilar(each, following);
      if (isMiddle && this.bytes > bytes) this.#fold(each, following);
      else left.push(each);
    });
    this.#kept = left;
  }

  /** Returns the entries of one kept reconcile, with the number of equal reconciles before it. */
  entriesOf(reconcile: KeptReconcile, repeats = reconcile.repeats): JournalEntry[] {
    const { controller, key } = this;
    const { reconcileId, causes, entries } = reconcile;
    const found: JournalEntry[] = [];
    causes?.readInto(found, { controller, key });
    entries.readInto(found, { controller, key, reconcileId });
    const last = found.pop();
    if (last !== undefined) found.push(repeats === 0 ? last : { ...last, repeats });
    return found;
  }

  /** Returns the entries since the last finished reconcile. */
  unfinished(): JournalEntry[] {
    const { controller, key } = this;
    const found: JournalEntry[] = [];
    if (this.#running !== undefined) {
      const { reconcileId, causes, entries } = this.#running;
      causes?.readInto(found, { controller, key });
      entries.readInto(found, { controller, key, reconcileId });
    }
    found.push(...this.#waiting);
    return found;
  }
}

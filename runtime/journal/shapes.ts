import type { JournalEntry } from './entry.ts';

/** Bits of the fields that an entry has in addition to those of its shape. */
const MS = 1;
const RETRIES = 2;
const NEXT = 4;
const REASON = 8;
const ERROR = 16;
const VERSION = 32;

/** Maximum number of shapes of a generation. About 250 bytes each. */
const MAX_SHAPES = 10_000;
/** Estimated size in bytes of a shape without its text. */
const SHAPE_BYTES = 250;

/**
 * Sequence of entries without their times, names and versions. Sequences share their beginnings, so two
 * reconciles are equal if they end in the same shape.
 */
export class Shape {
  readonly before: Shape | undefined;
  /** First entry that had the shape. Its times, names and versions are ignored. */
  readonly like: JournalEntry | undefined;
  readonly fields: number;
  readonly depth: number;
  /** True if an entry is a successful request that writes. */
  readonly writes: boolean;
  /** State of the machine after the last entry. */
  readonly state: string | undefined;
  /** Reason or error, with `#` for each number, because repeated errors differ in times and versions. */
  readonly text: string;
  /** Last reason or error with this shape. */
  raw: string;
  /** Shape that followed last. */
  recent: Shape | undefined;
  readonly next = new Map<string, Shape>();

  constructor(before?: Shape, like?: JournalEntry, text = '') {
    this.before = before;
    this.like = like;
    this.fields = like === undefined ? 0 : fieldsOf(like);
    this.depth = before === undefined ? 0 : before.depth + 1;
    this.writes = (before?.writes ?? false) || (like !== undefined && isWrite(like));
    this.state = like?.kind === 'state' ? like.state : before?.state;
    this.text = text;
    this.raw = rawOf(like);
  }

  /** True if a reconcile of `other` ends in the same state, with the same outcome and reason. */
  endsLike(other: Shape): boolean {
    return (
      this.state === other.state && this.like?.outcome === other.like?.outcome && this.text === other.text
    );
  }
}

/** All shapes of a journal. After `MAX_SHAPES` it starts again, and unused shapes are collected. */
export class Shapes {
  #root = new Shape();
  #count = 0;
  /** Estimated size in bytes of the shapes created so far. */
  created = 0;

  get root(): Shape {
    return this.#root;
  }

  /** Returns the shape of a sequence that `entry` continues. */
  after(shape: Shape, entry: JournalEntry): Shape {
    const raw = rawOf(entry);
    const { recent } = shape;
    if (recent !== undefined && isLike(recent, entry, raw)) return recent;
    const text = raw.replace(/\d+/g, '#');
    const name = nameOf(entry, text);
    let next = shape.next.get(name);
    if (next === undefined) {
      next = new Shape(shape, entry, text);
      shape.next.set(name, next);
      this.created += SHAPE_BYTES + 2 * (name.length + text.length);
      if (++this.#count > MAX_SHAPES) {
        this.#root = new Shape();
        this.#count = 0;
      }
    }
    next.raw = raw;
    shape.recent = next;
    return next;
  }
}

const rawOf = (entry: JournalEntry | undefined): string => entry?.error ?? entry?.reason ?? '';

function isLike({ like, fields, raw }: Shape, entry: JournalEntry, text: string): boolean {
  return (
    like !== undefined &&
    like.kind === entry.kind &&
    like.state === entry.state &&
    like.event === entry.event &&
    like.outcome === entry.outcome &&
    raw === text &&
    like.cause?.type === entry.cause?.type &&
    like.cause?.resource === entry.cause?.resource &&
    like.request?.verb === entry.request?.verb &&
    like.request?.resource === entry.request?.resource &&
    like.request?.code === entry.request?.code &&
    fields === fieldsOf(entry)
  );
}

function nameOf(entry: JournalEntry, text: string): string {
  const { kind, state, event, outcome, cause, request } = entry;
  const details = cause === undefined ? request : cause;
  const way = cause === undefined ? `${request?.verb} ${request?.code}` : cause.type;
  return `${kind}|${fieldsOf(entry)}|${state}|${event}|${outcome}|${way}|${details?.resource}|${text}`;
}

function isWrite({ request }: JournalEntry): boolean {
  if (request === undefined || !request.code.startsWith('2')) return false;
  return request.verb !== 'get' && request.verb !== 'list';
}

function fieldsOf(entry: JournalEntry): number {
  return (
    (entry.ms === undefined ? 0 : MS) |
    (entry.retries === undefined ? 0 : RETRIES) |
    (entry.nextMs === undefined ? 0 : NEXT) |
    (entry.reason === undefined ? 0 : REASON) |
    (entry.error === undefined ? 0 : ERROR) |
    (entry.cause?.resourceVersion === undefined ? 0 : VERSION)
  );
}

/** Entries of one reconcile: their shape, and what differs between reconciles of that shape. */
export class EntrySequence {
  shape: Shape;
  numbers: number[] = [];
  texts: string[] = [];

  constructor(root: Shape) {
    this.shape = root;
  }

  add(shapes: Shapes, entry: JournalEntry): void {
    const { ms, retries, nextMs, reason, error, cause, request } = entry;
    this.shape = shapes.after(this.shape, entry);
    const { numbers, texts } = this;
    numbers.push(entry.seq, entry.atMs);
    if (ms !== undefined) numbers.push(ms);
    if (retries !== undefined) numbers.push(retries);
    if (nextMs !== undefined) numbers.push(nextMs);
    if (reason !== undefined) texts.push(reason);
    if (error !== undefined) texts.push(error);
    const details = cause ?? request;
    if (details !== undefined) texts.push(details.object);
    if (cause?.resourceVersion !== undefined) texts.push(cause.resourceVersion);
  }

  /** Releases the spare capacity of the arrays. */
  trim(): void {
    this.numbers = this.numbers.slice();
    this.texts = this.texts.slice();
  }

  /** Estimated size in bytes. A text that occurs in the shape, too, is not stored twice. */
  get bytes(): number {
    let bytes = 120 + 8 * (this.numbers.length + this.texts.length);
    for (const text of this.texts) bytes += 24 + text.length;
    return bytes;
  }

  get length(): number {
    return this.shape.depth;
  }

  /** Appends the entries to `into`. */
  readInto(into: JournalEntry[], names: Pick<JournalEntry, 'controller' | 'key' | 'reconcileId'>): void {
    const steps: Shape[] = [];
    for (let shape = this.shape; shape.before !== undefined; shape = shape.before) steps.push(shape);
    let number = 0;
    let text = 0;
    for (const { like, fields } of steps.reverse()) {
      if (like === undefined) continue;
      const entry: Record<string, unknown> = { ...names, kind: like.kind };
      if (names.reconcileId === undefined) delete entry['reconcileId'];
      for (const field of ['state', 'event', 'outcome'] as const)
        if (like[field] !== undefined) entry[field] = like[field];
      entry['seq'] = this.numbers[number++];
      entry['atMs'] = this.numbers[number++];
      if (fields & MS) entry['ms'] = this.numbers[number++];
      if (fields & RETRIES) entry['retries'] = this.numbers[number++];
      if (fields & NEXT) entry['nextMs'] = this.numbers[number++];
      if (fields & REASON) entry['reason'] = this.texts[text++];
      if (fields & ERROR) entry['error'] = this.texts[text++];
      if (like.cause !== undefined || like.request !== undefined) {
        const object = this.texts[text++];
        const version = fields & VERSION ? { resourceVersion: this.texts[text++] } : {};
        if (like.cause !== undefined)
          entry['cause'] = { type: like.cause.type, resource: like.cause.resource, object, ...version };
        else entry['request'] = { ...like.request, object };
      }
      into.push(entry as unknown as JournalEntry);
    }
  }
}

import { accessSync, appendFileSync, closeSync, constants, openSync, readdirSync, unlinkSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import type { History } from './history.ts';
import { type KeptReconcile, type KeyHistory, isRepetition } from './key-history.ts';
import { readSegment, segmentHead } from './segment.ts';

/** Code of a journal directory that cannot be used. */
export type JournalDirectoryErrorCode = 'ERR_JOURNAL_DIRECTORY';

/** Options of `openJournalDirectory`. */
export interface JournalDirectoryOptions {
  readonly path: string;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Logger;
  /** Maximum size in bytes of all segments. */
  readonly maxBytes: number;
}

/** A journal directory. `stop` writes what is pending. */
export interface JournalDirectory extends Lifetime {
  /** Number of the last entry that was restored; 0 for none. */
  readonly lastSeq: number;
  /** Bytes of all segments, including bytes that are not written yet. */
  readonly bytes: number;
}

/** Number of full segments. The oldest is deleted when a new one begins and the bound would be exceeded. */
const SEGMENTS = 8;
/** Maximum number of segments. Each process begins a segment, so many can be short. */
const MAX_SEGMENTS = 64;
/** Age at which a segment is complete. With eight of them, a day is kept under any load of one key. */
const SEGMENT_MS = 3 * 3_600_000;
/** Fraction of a segment that one key may fill, so that no key displaces the others. */
const KEY_FRACTION = 1 / 256;
const FLUSH_MS = 1_000;
/** Fraction of a segment that may wait to be written. Beyond it, reconciles are not written and are counted. */
const PENDING_FRACTION = 1 / 4;
const NAME = /^journal-(\d{8})\.ndjson$/;

/**
 * Opens a directory of journal segments, and adds its reconciles to `history`. Later reconciles of the history are
 * appended to a new segment, once a second. Damaged lines are skipped with a warning. Throws
 * `ERR_JOURNAL_DIRECTORY` if the directory cannot be written.
 */
export function openJournalDirectory(options: JournalDirectoryOptions): JournalDirectory {
  return new SegmentDirectory(options);
}

interface Segment {
  readonly path: string;
  readonly startedMs: number;
  bytes: number;
}

/** Use of the current segment by one key. */
interface KeyUse {
  bytes: number;
  /** Last reconcile, if it is not written because it repeats the one before or exceeds the key's fraction. */
  unwritten: KeptReconcile | undefined;
  /** Number of equal reconciles before `unwritten` that are not written either. */
  repeats: number;
  last: KeptReconcile | undefined;
}

class SegmentDirectory implements JournalDirectory {
  readonly name = 'journal directory';
  lastSeq = 0;
  readonly #options: JournalDirectoryOptions;
  readonly #segments: Segment[] = [];
  #number = 0;
  readonly #uses = new Map<KeyHistory, KeyUse>();
  #pending: string[] = [];
  #pendingBytes = 0;
  #dropped = 0;
  #writing = Promise.resolve();
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: JournalDirectoryOptions) {
    this.#options = options;
    const { path, history } = options;
    prepare(path);
    for (const name of readdirSync(path).sort()) {
      const found = NAME.exec(name);
      if (found === null) continue;
      this.#number = Number(found[1]);
      this.#restore(join(path, name));
    }
    this.#begin();
    history.onFinished = (key, reconcile) => this.#finished(key, reconcile);
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  start(): Promise<void> {
    this.#schedule();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#options.history.onFinished = undefined;
    for (const [key, use] of this.#uses) this.#writeUnwritten(key, use);
    await this.#flush();
  }

  #restore(path: string): void {
    const { history, log } = this.#options;
    const { bytes, startedMs, entries, skipped } = readSegment(path);
    if (entries.length > 0 || skipped.length > 0) this.#segments.push({ path, startedMs, bytes });
    else unlinkSync(path);
    for (const entry of entries) {
      history.add(entry);
      this.lastSeq = Math.max(this.lastSeq, entry.seq);
    }
    for (const reason of skipped) log.warn({ path }, `journal segment is damaged: ${reason}`);
  }

  /** Begins a segment, and deletes the oldest segments that exceed the bound. */
  #begin(): void {
    const { path, clock, maxBytes } = this.#options;
    this.#uses.clear();
    const startedMs = clock.now();
    const name = `journal-${String(++this.#number).padStart(8, '0')}.ndjson`;
    const segment: Segment = { path: join(path, name), startedMs, bytes: 0 };
    const head = segmentHead(startedMs);
    try {
      closeSync(openSync(segment.path, 'ax', 0o600));
      appendFileSync(segment.path, head);
    } catch (cause) {
      throw unusable(path, cause);
    }
    segment.bytes = Buffer.byteLength(head);
    this.#segments.push(segment);
    const most = maxBytes * (1 - 1 / SEGMENTS);
    while (this.#segments.length > 1 && (this.#segments.length > MAX_SEGMENTS || this.bytes > most)) {
      const oldest = this.#segments.shift();
      if (oldest !== undefined) unlinkSync(oldest.path);
    }
  }

  get #segmentBytes(): number {
    return this.#options.maxBytes / SEGMENTS;
  }

  /** Writes a reconcile, unless it repeats the one before. The last of a run is written when the run ends. */
  #finished(key: KeyHistory, reconcile: KeptReconcile): void {
    let use = this.#uses.get(key);
    if (use === undefined) {
      use = { bytes: 0, unwritten: undefined, repeats: 0, last: undefined };
      this.#uses.set(key, use);
    }
    const repeated = isRepetition(use.last, reconcile);
    use.last = reconcile;
    if (use.bytes > this.#segmentBytes * KEY_FRACTION || (repeated && !reconcile.entries.shape.writes)) {
      use.repeats = repeated && use.unwritten !== undefined ? use.repeats + 1 : 0;
      use.unwritten = reconcile;
      return;
    }
    this.#writeUnwritten(key, use);
    this.#append(key, reconcile, use);
  }

  #append(key: KeyHistory, reconcile: KeptReconcile, use: KeyUse, repeats = 0): void {
    const entries = key.entriesOf(reconcile, repeats);
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const bytes = Buffer.byteLength(text);
    const segment = this.#segments.at(-1);
    if (segment === undefined || this.#pendingBytes + bytes > this.#segmentBytes * PENDING_FRACTION) {
      this.#dropped++;
      return;
    }
    use.bytes += bytes;
    segment.bytes += bytes;
    this.#pending.push(text);
    this.#pendingBytes += bytes;
  }

  /** Writes the last reconcile of a key, so that the restored key has its last state. */
  #writeUnwritten(key: KeyHistory, use: KeyUse): void {
    if (use.unwritten === undefined) return;
    this.#append(key, use.unwritten, use, use.repeats);
    use.unwritten = undefined;
    use.repeats = 0;
  }

  #schedule(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      void this.#flush().then(() => {
        if (!this.#stopped) this.#schedule();
      });
    }, FLUSH_MS);
  }

  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { log, clock, path } = this.#options;
    const segment = this.#segments.at(-1);
    if (segment === undefined) return;
    const complete =
      !this.#stopped &&
      (segment.bytes > this.#segmentBytes * (1 - PENDING_FRACTION) ||
        clock.now() - segment.startedMs > SEGMENT_MS);
    if (complete) for (const [key, use] of this.#uses) this.#writeUnwritten(key, use);
    const text = this.#pending.join('');
    this.#pending = [];
    this.#pendingBytes = 0;
    try {
      if (text !== '') await appendFile(segment.path, text);
      if (complete) this.#begin();
    } catch (thrown) {
      log.error({ path, error: messageOf(thrown) }, 'failed to write the journal: its last second is lost');
    }
    if (this.#dropped > 0) log.warn({ path, reconciles: this.#dropped }, 'journal is written too slowly');
    this.#dropped = 0;
  }
}

function prepare(path: string): void {
  try {
    createFolder(path, 0o700);
    accessSync(path, constants.W_OK | constants.X_OK | constants.R_OK);
  } catch (cause) {
    throw unusable(path, cause);
  }
}

const unusable = (path: string, cause: unknown): CodedError<JournalDirectoryErrorCode> =>
  new CodedError(
    'ERR_JOURNAL_DIRECTORY',
    `failed to use ${JSON.stringify(path)} as the journal directory: ${messageOf(cause)}: expected a directory that can be written`,
    { cause },
  );

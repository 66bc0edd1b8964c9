import { messageOf } from '../../base/errors/coded.ts';
import type { Disk } from './lmdb-disk.ts';
import { commitErrorOf, createCommitGuard, openDisk } from './lmdb-disk.ts';
import type { DirectoryLock } from './lmdb-lock.ts';
import { lockDirectory } from './lmdb-lock.ts';
import { COMPACTED, createRecordReader, fromLogKey, toLogKey, toRecord } from './lmdb-record.ts';
import { decide } from './memory.ts';
import type { HistoryLimits, MvccOptions } from './mvcc.ts';
import { Mvcc, toStored } from './mvcc.ts';
import type { Change, ChangeObserver, ListOptions, Stamp, Storage, Stored } from './storage.ts';
import { StorageError } from './storage.ts';

export interface LmdbStorageOptions extends HistoryLimits {
  /** The data directory; made when missing, for the owner alone. */
  readonly path: string;
  readonly stamp: Stamp;
}

/** A write that has been decided on and is on its way to the disk. */
interface Accepted {
  readonly change: Change;
  outcome: 'underway' | 'durable' | StorageError;
  /** Resolves, never rejects, once the write is durable and visible, or has failed. */
  settled: Promise<void>;
  settle: () => void;
}

/** Writes that nobody needs any more are taken off the disk this many at a time. */
const SWEEP = 512;

/**
 * A store in one directory for one process. Reads, history and watches are served from memory, which is filled here;
 * history reaches back before the opening as far as it did before. Throws ERR_STORAGE_LOCKED when another process has the directory open,
 * ERR_STORAGE_UNAVAILABLE when it cannot be read.
 */
export async function openLmdbStorage({ path, stamp, ...limits }: LmdbStorageOptions): Promise<Storage> {
  const lock = await lockDirectory(path);
  let disk: Disk | undefined;
  try {
    disk = await openDisk(path);
    const garbage: number[] = [];
    const mvcc = load(disk, stamp, { ...limits, onForgotten: (revision) => void garbage.push(revision) });
    // What was read stays mapped, and counts as memory of this process, until the environment is closed.
    await disk.close();
    disk = await openDisk(path);
    return new LmdbStorage({ disk, lock, mvcc, stamp, garbage });
  } catch (thrown) {
    await disk?.close();
    await lock.release();
    if (thrown instanceof StorageError) throw thrown;
    throw unavailable(`the data directory ${path} cannot be opened`, thrown);
  }
}

function load(disk: Disk, stamp: Stamp, options: MvccOptions): Mvcc {
  const read = createRecordReader();
  const floor = disk.get(COMPACTED);
  const compacted = floor === undefined ? 0 : fromLogKey(floor);
  const mvcc = new Mvcc(compacted, options);
  for (const { key: place, value: bytes } of disk.getRange()) {
    if (place.equals(COMPACTED)) continue;
    const { type, key, value, expiresAtMs } = read(bytes);
    const revision = fromLogKey(place);
    const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
    if (revision <= compacted) mvcc.load({ key, value, revision, ...expiry });
    else {
      const previous = mvcc.get(key);
      // A deletion's value is that of what it deleted, which history keeps for as long as the deletion.
      const kept = type === 'put' ? value : stamp(previous?.value ?? value, revision);
      mvcc.replay({ type, key, revision, value: kept, previous, ...expiry });
    }
  }
  return mvcc;
}

interface LmdbParts {
  readonly disk: Disk;
  readonly lock: DirectoryLock;
  readonly mvcc: Mvcc;
  readonly stamp: Stamp;
  /** Filled by `mvcc`: revisions whose records nobody needs. */
  readonly garbage: number[];
}

class LmdbStorage implements Storage {
  readonly #disk: Disk;
  readonly #guard: () => void;
  readonly #lock: DirectoryLock;
  readonly #mvcc: Mvcc;
  readonly #stamp: Stamp;
  readonly #garbage: number[];
  /** In the order of their revisions. */
  readonly #accepted = new Set<Accepted>();
  /** At most one of a key: the next write of it waits, and is decided on what has become of this one. */
  readonly #underway = new Map<string, Accepted>();
  /** The newest revision given to a write; one whose write fails is not used again. */
  #newest: number;
  #closing: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #sweepPlanned = false;

  constructor({ disk, lock, mvcc, stamp, garbage }: LmdbParts) {
    this.#disk = disk;
    this.#guard = createCommitGuard(disk);
    this.#lock = lock;
    this.#mvcc = mvcc;
    this.#stamp = stamp;
    this.#garbage = garbage;
    this.#newest = mvcc.revision;
  }

  async revision(): Promise<number> {
    this.#mvcc.assertOpen();
    return this.#mvcc.revision;
  }

  async get(key: string): Promise<Stored | undefined> {
    this.#mvcc.assertOpen();
    return this.#mvcc.get(key);
  }

  async list(prefix: string, options?: ListOptions) {
    this.#mvcc.assertOpen();
    return this.#mvcc.list(prefix, options);
  }

  async put(key: string, value: Buffer, expected: number | 'absent', expiresAtMs?: number): Promise<Stored> {
    return toStored(await this.#write('put', key, value, expected, expiresAtMs));
  }

  delete(key: string, expected: number): Promise<Change> {
    return this.#write('delete', key, undefined, expected);
  }

  async watch(prefix: string, after: number, observer: ChangeObserver) {
    this.#mvcc.assertOpen();
    return this.#mvcc.watch(prefix, after, observer);
  }

  async compact(revision: number): Promise<void> {
    this.#mvcc.assertOpen();
    this.#mvcc.compact(revision);
    await this.#sweep();
  }

  compacted(): number {
    return this.#mvcc.compacted;
  }

  /** Waits for the writes that are under way; later ones are refused. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#accepted].map(({ settled }) => settled));
    await this.#sweeping;
    this.#mvcc.close();
    await this.#disk.close();
    await this.#lock.release();
  }

  async #write(
    type: Change['type'],
    key: string,
    value: Buffer | undefined,
    expected: number | 'absent',
    expiresAtMs?: number,
  ): Promise<Change> {
    for (let before = this.#underway.get(key); before; before = this.#underway.get(key)) await before.settled;
    if (this.#closing) throw new StorageError('ERR_CLOSED', 'the store is closed');
    const revision = this.#newest + 1;
    const change = decide(this.#mvcc, this.#stamp, { type, key, value, expected, revision, expiresAtMs });
    this.#newest = revision;
    return this.#accept(change);
  }

  #accept(change: Change): Promise<Change> {
    const accepted: Accepted = { change, outcome: 'underway', settle: () => {}, settled: Promise.resolve() };
    accepted.settled = new Promise((resolve) => (accepted.settle = resolve));
    this.#accepted.add(accepted);
    this.#underway.set(change.key, accepted);
    this.#toDisk(change).then(
      () => this.#finish(accepted, 'durable'),
      (cause: unknown) =>
        this.#finish(accepted, unavailable(`the write of ${change.key} did not reach the disk`, cause)),
    );
    return accepted.settled.then(() => {
      if (accepted.outcome instanceof StorageError) throw accepted.outcome;
      return change;
    });
  }

  /**
   * LMDB puts all that is written in one turn of the event loop into one transaction, and goes on collecting while one
   * is being flushed.
   */
  async #toDisk(change: Change): Promise<void> {
    const written = this.#disk.put(toLogKey(change.revision), toRecord(change));
    this.#guard();
    await written.catch(async (thrown: unknown) => {
      throw await commitErrorOf(thrown);
    });
  }

  #sweepWhenWorthwhile(): void {
    if (this.#sweepPlanned || this.#garbage.length < SWEEP) return;
    this.#sweepPlanned = true;
    void this.#sweep().finally(() => (this.#sweepPlanned = false));
  }

  /** One after the other: were a sweep to fail and the next not, a forgotten write could come back. */
  #sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweepOnce());
    return this.#sweeping;
  }

  /**
   * Takes off the disk what nobody needs any more, with the floor of history in the same transaction: one without the
   * other would show a past that never was. A failure leaves it for the next sweep.
   */
  async #sweepOnce(): Promise<void> {
    const revisions = this.#garbage.splice(0);
    const parts: Promise<boolean>[] = [];
    parts.push(
      this.#disk.batch(() => {
        parts.push(this.#disk.put(COMPACTED, toLogKey(this.#mvcc.compacted)));
        for (const revision of revisions) parts.push(this.#disk.remove(toLogKey(revision)));
      }),
    );
    this.#guard();
    await Promise.all(parts).catch(async (thrown: unknown) => {
      await commitErrorOf(thrown);
      this.#garbage.push(...revisions);
    });
  }

  /** Makes visible what is durable, in the order of revisions. */
  #finish(accepted: Accepted, outcome: 'durable' | StorageError): void {
    accepted.outcome = outcome;
    for (const first of this.#accepted) {
      if (first.outcome === 'underway') return;
      this.#accepted.delete(first);
      this.#underway.delete(first.change.key);
      if (first.outcome === 'durable') this.#mvcc.commit(first.change);
      first.settle();
    }
    this.#sweepWhenWorthwhile();
  }
}

const unavailable = (what: string, cause: unknown): StorageError =>
  new StorageError('ERR_STORAGE_UNAVAILABLE', `${what}: ${messageOf(cause)}`, { cause });

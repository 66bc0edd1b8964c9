import { messageOf } from '../../base/errors/coded.ts';
import type { Disk } from './lmdb-disk.ts';
import { commitErrorOf, createCommitGuard, openDisk } from './lmdb-disk.ts';
import type { DirectoryLock } from './lmdb-lock.ts';
import { lockDirectory } from './lmdb-lock.ts';
import {
  NEWEST_REVISION,
  createRecordReader,
  fromRevisionRecord,
  toDiskKey,
  toRecord,
  toRevisionRecord,
} from './lmdb-record.ts';
import { decide } from './memory.ts';
import type { HistoryLimits } from './mvcc.ts';
import { Mvcc } from './mvcc.ts';
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

/**
 * A store in one directory for one process. Reads, history and watches are served from memory, which is filled here;
 * history does not reach back before the opening. Throws ERR_STORAGE_LOCKED when another process has the directory open,
 * ERR_STORAGE_UNAVAILABLE when it cannot be read.
 */
export async function openLmdbStorage({ path, stamp, ...limits }: LmdbStorageOptions): Promise<Storage> {
  const lock = await lockDirectory(path);
  let disk: Disk | undefined;
  try {
    disk = await openDisk(path);
    const mvcc = load(disk, limits);
    // What was read stays mapped, and counts as memory of this process, until the environment is closed.
    await disk.close();
    disk = await openDisk(path);
    return new LmdbStorage(disk, lock, mvcc, stamp);
  } catch (thrown) {
    await disk?.close();
    await lock.release();
    if (thrown instanceof StorageError) throw thrown;
    throw unavailable(`the data directory ${path} cannot be opened`, thrown);
  }
}

function load(disk: Disk, limits: HistoryLimits): Mvcc {
  const fromRecord = createRecordReader();
  const stored: Stored[] = [];
  let revision = fromRevisionRecord(disk.get(NEWEST_REVISION));
  for (const { key, value } of disk.getRange()) {
    if (key.equals(NEWEST_REVISION)) continue;
    const found = fromRecord(value);
    revision = Math.max(revision, found.revision);
    stored.push(found);
  }
  const mvcc = new Mvcc(revision, limits);
  for (const each of stored) mvcc.load(each);
  return mvcc;
}

class LmdbStorage implements Storage {
  readonly #disk: Disk;
  readonly #guard: () => void;
  readonly #lock: DirectoryLock;
  readonly #mvcc: Mvcc;
  readonly #stamp: Stamp;
  /** In the order of their revisions. */
  readonly #accepted = new Set<Accepted>();
  /** At most one of a key: the next write of it waits, and is decided on what has become of this one. */
  readonly #underway = new Map<string, Accepted>();
  /** The newest revision given to a write; one whose write fails is not used again. */
  #newest: number;
  #closing: Promise<void> | undefined;

  constructor(disk: Disk, lock: DirectoryLock, mvcc: Mvcc, stamp: Stamp) {
    this.#disk = disk;
    this.#guard = createCommitGuard(disk);
    this.#lock = lock;
    this.#mvcc = mvcc;
    this.#stamp = stamp;
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

  async put(key: string, value: Buffer, expected: number | 'absent'): Promise<Stored> {
    const change = await this.#write('put', key, value, expected);
    return { key, value: change.value, revision: change.revision };
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
    this.#mvcc.close();
    await this.#disk.close();
    await this.#lock.release();
  }

  async #write(
    type: Change['type'],
    key: string,
    value: Buffer | undefined,
    expected: number | 'absent',
  ): Promise<Change> {
    for (let before = this.#underway.get(key); before; before = this.#underway.get(key)) await before.settled;
    if (this.#closing) throw new StorageError('ERR_CLOSED', 'the store is closed');
    const revision = this.#newest + 1;
    const change = decide(this.#mvcc, this.#stamp, { type, key, value, expected, revision });
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
   * is being flushed. A record bears its revision, so the revision stands apart only where the record goes.
   */
  async #toDisk(change: Change): Promise<void> {
    const key = toDiskKey(change.key);
    const parts: Promise<boolean>[] = [];
    if (change.type === 'put') parts.push(this.#disk.put(key, toRecord(change)));
    else
      parts.push(
        this.#disk.batch(() => {
          parts.push(this.#disk.remove(key));
          parts.push(this.#disk.put(NEWEST_REVISION, toRevisionRecord(change.revision)));
        }),
      );
    this.#guard();
    await Promise.all(parts).catch(async (thrown: unknown) => {
      throw await commitErrorOf(thrown);
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
  }
}

const unavailable = (what: string, cause: unknown): StorageError =>
  new StorageError('ERR_STORAGE_UNAVAILABLE', `${what}: ${messageOf(cause)}`, { cause });

import type { Soon } from '../../base/async/index.ts';
import { IntrusiveList, type Linked } from '../../base/collections/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type DiskRoom, createDiskRoom, freeBytesOf } from './disk-room.ts';
import type { Disk } from './lmdb-disk.ts';
import { commitErrorOf, createCommitGuard, dataFileOf, openDisk, reusableBytes } from './lmdb-disk.ts';
import { loadLog } from './lmdb-load.ts';
import type { DirectoryLock } from './lmdb-lock.ts';
import { lockDirectory } from './lmdb-lock.ts';
import { COMPACTED, toFloor, toLogKey, toRecord } from './lmdb-record.ts';
import { type Write, decide, decideCompanions } from './memory.ts';
import { type HistoryLimits, type Mvcc, toStored } from './mvcc.ts';
import type {
  Change,
  ChangeObserver,
  ListOptions,
  PutOptions,
  Stamp,
  Storage,
  Stored,
  WriteOptions,
} from './storage.ts';
import { StorageError } from './storage.ts';
import { type Transformer, identityTransformer } from './transformer.ts';

export interface LmdbStorageOptions extends HistoryLimits {
  /** The data directory. Created if missing, with access for the owner only. */
  readonly path: string;
  readonly stamp: Stamp;
  /** Encodes values for the disk. Default: values are stored unchanged. */
  readonly transformer?: Transformer;
  /** Returns the free bytes of the disk. Default: the number that the operating system reports. */
  readonly freeBytes?: () => number;
}

/** Write that was accepted and is not yet durable or failed. */
class Accepted implements Linked<Accepted> {
  previous: Accepted | undefined;
  next: Accepted | undefined;
  outcome: 'underway' | 'durable' | StorageError = 'underway';
  readonly change: Change;
  /** Bytes reserved for the write on the disk. */
  readonly bytes: number;
  /** Resolves once the write is durable and visible; rejects if it fails. */
  readonly settled: Promise<Change>;
  #resolve: (change: Change) => void = () => {};
  #reject: (error: StorageError) => void = () => {};

  constructor(change: Change, bytes: number) {
    this.change = change;
    this.bytes = bytes;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  settle(outcome: 'durable' | StorageError): void {
    if (outcome === 'durable') this.#resolve(this.change);
    else this.#reject(outcome);
  }
}

/** Writes of one transaction. LMDB's library returns the same promise for all of them. */
interface Transaction {
  readonly written: Promise<unknown>;
  readonly writes: Accepted[];
}

const IGNORED = (): void => {};

const NO_KEYS: readonly { readonly key: string }[] = [];

/** Returns the number of bytes that a change adds to the file. */
const bytesOf = ({ type, value }: Change): number => (type === 'put' ? value.length : 0);

/** Number of obsolete records at which they are removed from the disk. */
const SWEEP = 512;

/**
 * Opens a store in one directory, for one process. Reads, history and watches are served from memory, which
 * is loaded here. History from before a restart is preserved. Rejects with ERR_STORAGE_LOCKED if another
 * process has opened the directory, and with ERR_STORAGE_UNAVAILABLE if the directory cannot be read.
 */
export async function openLmdbStorage(options: LmdbStorageOptions): Promise<Storage> {
  const { path, stamp, transformer = identityTransformer, freeBytes, ...limits } = options;
  const lock = await lockDirectory(path);
  try {
    const garbage: number[] = [];
    const onForgotten = (revision: number): void => void garbage.push(revision);
    const mvcc = await loadLog({ path, stamp, transformer }, { ...limits, onForgotten });
    const disk = await openDisk(path);
    const room = createDiskRoom({
      free: freeBytes ?? freeBytesOf(dataFileOf(path)),
      reusable: () => reusableBytes(disk),
    });
    return new LmdbStorage({ disk, room, lock, mvcc, stamp, transformer, garbage });
  } catch (thrown) {
    await lock.release();
    if (thrown instanceof StorageError) throw thrown;
    throw unavailable(`the data directory ${path} cannot be opened`, thrown);
  }
}

interface LmdbParts {
  readonly disk: Disk;
  readonly room: DiskRoom;
  readonly lock: DirectoryLock;
  readonly mvcc: Mvcc;
  readonly stamp: Stamp;
  readonly transformer: Transformer;
  /** Revisions whose records are obsolete. `mvcc` adds to this list. */
  readonly garbage: number[];
}

class LmdbStorage implements Storage {
  readonly #disk: Disk;
  readonly #guard: () => void;
  readonly #room: DiskRoom;
  readonly #lock: DirectoryLock;
  readonly #mvcc: Mvcc;
  readonly #stamp: Stamp;
  readonly #transformer: Transformer;
  readonly #garbage: number[];
  /** Accepted writes that are not yet durable, in order of revision. */
  readonly #accepted = new IntrusiveList<Accepted>();
  /** The pending write of each key. The next write of the key waits for its outcome. */
  readonly #underway = new Map<string, Accepted>();
  /** Newest revision assigned to a write. The revision of a failed write is not used again. */
  #newest: number;
  #closing: Promise<void> | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #sweepPlanned = false;
  #transaction: Transaction | undefined;

  constructor({ disk, room, lock, mvcc, stamp, transformer, garbage }: LmdbParts) {
    this.#disk = disk;
    this.#room = room;
    this.#guard = createCommitGuard(disk);
    this.#lock = lock;
    this.#mvcc = mvcc;
    this.#stamp = stamp;
    this.#transformer = transformer;
    this.#garbage = garbage;
    this.#newest = mvcc.revision;
  }

  async revision(): Promise<number> {
    this.#mvcc.assertOpen();
    return this.#mvcc.revision;
  }

  get(key: string): Soon<Stored | undefined> {
    return this.#mvcc.read(key);
  }

  async list(prefix: string, options?: ListOptions) {
    this.#mvcc.assertOpen();
    return this.#mvcc.list(prefix, options);
  }

  async put(key: string, value: Buffer, expected: number | 'absent', options?: PutOptions): Promise<Stored> {
    return toStored(await this.#write({ type: 'put', key, value, expected, options }));
  }

  async delete(key: string, expected: number, options?: WriteOptions): Promise<Change> {
    return this.#write({ type: 'delete', key, value: undefined, expected, options });
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

  /** Waits for pending writes; later writes are rejected. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#accepted].map(({ settled }) => settled));
    await this.#sweeping;
    this.#mvcc.close();
    await this.#disk.close();
    await this.#lock.release();
  }

  /** Writes a key. Throws or rejects with the errors of `put` and `delete`. */
  #write(write: Write): Promise<Change> {
    const before = this.#underwayBefore(write);
    if (before) {
      const again = (): Promise<Change> => this.#write(write);
      return before.settled.then(again, again);
    }
    if (this.#closing) throw new StorageError('ERR_CLOSED', 'the store is closed');
    const first = this.#newest + 1;
    const companions = decideCompanions(this.#mvcc, this.#stamp, write, first);
    const change = decide(this.#mvcc, this.#stamp, write, first + companions.length);
    this.#takeRoom(change, companions);
    this.#newest = change.revision;
    // Companions are in the same transaction as the write. If they fail, the write fails, and its error
    // reaches the caller.
    for (const companion of companions) this.#accept(companion).catch(IGNORED);
    return this.#accept(change);
  }

  /**
   * Accepts a change. All changes accepted in one turn of the event loop become durable in one transaction.
   */
  #accept(change: Change): Promise<Change> {
    const accepted = new Accepted(change, bytesOf(change));
    this.#accepted.add(accepted);
    this.#underway.set(change.key, accepted);
    this.#toDisk(accepted);
    return accepted.settled;
  }

  #takeRoom(change: Change, companions: readonly Change[]): void {
    const bytes = companions.reduce((sum, companion) => sum + bytesOf(companion), bytesOf(change));
    this.#room.take(bytes, change.type === 'delete');
  }

  /** Returns a pending write on whose outcome `write` depends: of its key, or of a key in its conditions. */
  #underwayBefore({ key, options }: Write): Accepted | undefined {
    const before = this.#underway.get(key);
    if (before !== undefined || options === undefined) return before;
    return this.#firstUnderway(options.while) ?? this.#firstUnderway(options.with);
  }

  #firstUnderway(keys: readonly { readonly key: string }[] = NO_KEYS): Accepted | undefined {
    for (const { key } of keys) {
      const underway = this.#underway.get(key);
      if (underway !== undefined) return underway;
    }
    return undefined;
  }

  /**
   * Writes the record. LMDB puts all writes of one turn of the event loop into one transaction, and collects
   * more writes while a transaction is being flushed.
   */
  #toDisk(accepted: Accepted): void {
    const { change } = accepted;
    const written = this.#disk.put(toLogKey(change.revision), toRecord(change, this.#transformer));
    this.#guard();
    if (this.#transaction?.written === written) {
      this.#transaction.writes.push(accepted);
      return;
    }
    const transaction: Transaction = { written, writes: [accepted] };
    this.#transaction = transaction;
    written.then(
      () => this.#finish(transaction, () => 'durable'),
      async (thrown: unknown) => {
        const cause = await commitErrorOf(thrown);
        this.#finish(transaction, ({ key }) =>
          unavailable(`the write of ${key} did not reach the disk`, cause),
        );
      },
    );
  }

  #sweepWhenWorthwhile(): void {
    if (this.#sweepPlanned || this.#garbage.length < SWEEP) return;
    this.#sweepPlanned = true;
    void this.#sweep().finally(() => (this.#sweepPlanned = false));
  }

  /**
   * Sweeps run one after the other. If a sweep failed and a concurrent one did not, a compacted write could
   * reappear.
   */
  #sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweepOnce());
    return this.#sweeping;
  }

  /**
   * Removes obsolete records and writes the floor of history in one transaction: either change without the
   * other would produce a past state that never existed. After a failure the records are left to the next
   * sweep.
   */
  async #sweepOnce(): Promise<void> {
    const revisions = this.#garbage.splice(0);
    const parts: Promise<boolean>[] = [];
    parts.push(
      this.#disk.batch(() => {
        parts.push(this.#disk.put(COMPACTED, toFloor(this.#mvcc.compacted)));
        for (const revision of revisions) parts.push(this.#disk.remove(toLogKey(revision)));
      }),
    );
    this.#guard();
    await Promise.all(parts).catch(async (thrown: unknown) => {
      await commitErrorOf(thrown);
      this.#garbage.push(...revisions);
    });
  }

  /** Makes durable writes visible, in the order of revisions. */
  #finish(transaction: Transaction, outcomeOf: (change: Change) => 'durable' | StorageError): void {
    if (this.#transaction === transaction) this.#transaction = undefined;
    for (const accepted of transaction.writes) accepted.outcome = outcomeOf(accepted.change);
    for (let accepted = this.#accepted.first; accepted; accepted = this.#accepted.first) {
      const { change, outcome } = accepted;
      if (outcome === 'underway') break;
      this.#accepted.delete(accepted);
      this.#underway.delete(change.key);
      this.#room.release(accepted.bytes);
      if (outcome === 'durable') this.#mvcc.commit(change);
      accepted.settle(outcome);
    }
    this.#sweepWhenWorthwhile();
  }
}

const unavailable = (what: string, cause: unknown): StorageError =>
  new StorageError('ERR_STORAGE_UNAVAILABLE', `${what}: ${messageOf(cause)}`, { cause });

import { type DiskOf, openDiskToRead } from './lmdb-disk.ts';
import {
  COMPACTED,
  type LogRecord,
  createRecordReader,
  damagedRecord,
  fromFloor,
  fromLogKey,
  toLogKey,
} from './lmdb-record.ts';
import { Mvcc, type MvccOptions } from './mvcc.ts';
import type { Stamp, StorageError } from './storage.ts';
import type { Transformer } from './transformer.ts';

interface LogOptions {
  /** The data directory. */
  readonly path: string;
  readonly stamp: Stamp;
  readonly transformer: Transformer;
}

/**
 * Loads the log of a data directory into memory, then closes the environment: its mapped pages would count as
 * memory of this process. Throws `StorageError` if a record is damaged or a current value cannot be
 * decrypted.
 */
export async function loadLog({ path, stamp, transformer }: LogOptions, options: MvccOptions): Promise<Mvcc> {
  const disk = await openDiskToRead(path, createRecordReader(transformer));
  try {
    return new LogReading(disk, stamp, options).mvcc;
  } finally {
    await disk.close();
  }
}

/** State rebuilt from a log, which is read from its oldest record to its newest. */
class LogReading {
  readonly mvcc: Mvcc;
  readonly #stamp: Stamp;
  readonly #floor: number;
  readonly #forget: (revision: number) => void;
  /** Keys whose newest record so far has a value that no encryption key decrypts. */
  readonly #undecryptable = new Map<string, { readonly revision: number; readonly error: StorageError }>();

  constructor(disk: DiskOf<LogRecord>, stamp: Stamp, options: MvccOptions) {
    const floor = disk.getBinary(COMPACTED);
    this.#floor = floor === undefined ? 0 : fromFloor(floor);
    this.mvcc = new Mvcc(this.#floor, options);
    this.#stamp = stamp;
    this.#forget = options.onForgotten ?? (() => {});
    let readable = this.#floor;
    let last = -1;
    for (const { key, value } of disk.getRange({ start: toLogKey(0) })) {
      const revision = fromLogKey(key);
      if (revision <= last || (value.revision ?? revision) !== revision)
        throw damagedRecord(`the record of revision ${revision} is out of place`);
      last = revision;
      if (this.#take(revision, value)) readable = revision;
    }
    for (const { error } of this.#undecryptable.values()) throw error;
    this.mvcc.compact(readable);
  }

  /**
   * Adds a record to the state. Returns true if the record replaces a value that no encryption key decrypts:
   * history cannot reach back beyond such a record.
   */
  #take(revision: number, { revision: _own, type, key, value, error, ...kept }: LogRecord): boolean {
    const replaced = this.#undecryptable.get(key);
    if (replaced !== undefined) this.#forget(replaced.revision);
    this.#undecryptable.delete(key);
    if (error !== undefined) this.#undecryptable.set(key, { revision, error });
    else if (revision <= this.#floor) this.mvcc.load({ key, value, revision, ...kept });
    else this.#replay(revision, { type, key, value, ...kept });
    return replaced !== undefined;
  }

  #replay(revision: number, { type, key, value, ...kept }: Omit<LogRecord, 'revision'>): void {
    const previous = this.mvcc.get(key);
    if (type === 'delete' && previous === undefined) {
      this.#forget(revision);
      this.mvcc.advance(revision);
      return;
    }
    // A deletion has the value of what it deleted, which history retains as long as the deletion.
    const last = type === 'put' ? value : this.#stamp(previous?.value ?? value, revision);
    this.mvcc.replay({ type, key, revision, value: last, previous, ...kept });
  }
}

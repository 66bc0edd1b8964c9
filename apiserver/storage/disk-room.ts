import { statfsSync } from 'node:fs';
import { messageOf } from '../../base/errors/index.ts';
import { StorageError } from './storage.ts';

/** Check before each write that the write fits on the disk. LMDB must not attempt a write that does not. */
export interface DiskRoom {
  /**
   * Reserves `bytes` for a write, until `release` is called after the write. Throws `ERR_NO_ROOM` if too
   * little would remain. Deletions may use more of the disk, as they make room for later writes.
   */
  take(bytes: number, isDeletion: boolean): void;
  release(bytes: number): void;
}

const MIB = 1024 * 1024;
/**
 * Bytes that a write must leave free, because other programs can fill the disk between the check and the
 * write.
 */
const RESERVE = 16 * MIB;
/**
 * Bytes that a write must leave free while the file has enough reusable pages. The value is not 0: a large
 * value needs consecutive pages, and the reusable ones may be scattered.
 */
const RESERVE_OF_FREED = 4 * MIB;
/** Bytes that a deletion must leave free; a deletion changes few pages. */
const RESERVE_OF_DELETIONS = MIB;
/**
 * Bytes that a write changes besides its value: the pages on the path through the tree, and the list of free
 * pages.
 */
const OVERHEAD = 64 * 1024;
/** Factor by which the reusable pages must exceed what a write needs before `RESERVE_OF_FREED` applies. */
const AMPLE = 4;

/** Current space of the disk and of the store's file, in bytes. */
export interface DiskState {
  /** Bytes that can still be written to the disk. */
  free(): number;
  /** Bytes of the store's file that hold no data and can be written again. */
  reusable(): number;
}

/**
 * Creates the check of free space. On a full disk, LMDB's library (3.5) writes its error message past the end
 * of its buffer, which can end the process.
 */
export function createDiskRoom({ free, reusable }: DiskState): DiskRoom {
  let taken = 0;
  // Free bytes of the disk. `free()` takes 6 µs, a twentieth of a small write, so all writes of one flush use
  // the first result.
  let seen: number | undefined;
  const reserveOf = (bytes: number, isDeletion: boolean, left: number): number => {
    if (isDeletion) return RESERVE_OF_DELETIONS;
    return left < RESERVE && reusable() >= AMPLE * (taken + bytes + OVERHEAD) ? RESERVE_OF_FREED : RESERVE;
  };
  return {
    take(bytes, isDeletion) {
      seen ??= free();
      const left = seen - taken - bytes - OVERHEAD;
      const reserve = reserveOf(bytes, isDeletion, left);
      if (left < reserve) {
        seen = undefined;
        throw new StorageError(
          'ERR_NO_ROOM',
          `the store's disk is full: ${isDeletion ? 'a deletion' : 'a write'} must leave ${reserve / MIB} MiB free`,
        );
      }
      taken += bytes;
    },
    release(bytes) {
      taken -= bytes;
      seen = undefined;
    },
  };
}

/**
 * Returns a function that reads how many bytes an unprivileged process can still write to the disk of the
 * file at `path`. The function throws `ERR_STORAGE_UNAVAILABLE` if the file was removed: what is written to a
 * removed file is lost when the process ends.
 */
export function freeBytesOf(path: string): () => number {
  return () => {
    try {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    } catch (cause) {
      throw new StorageError(
        'ERR_STORAGE_UNAVAILABLE',
        `the store's file cannot be found: ${messageOf(cause)}`,
        { cause },
      );
    }
  };
}

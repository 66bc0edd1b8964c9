import { statfsSync } from 'node:fs';
import { messageOf } from '../../base/errors/coded.ts';
import { StorageError } from './storage.ts';

/** Says whether a write fits on the disk, before it is tried. */
export interface DiskRoom {
  /**
   * Takes room for a write, to be given back once it has ended. Throws `ERR_NO_ROOM` where too little would be left;
   * deletions, which make room for later writes, may go further.
   */
  take(bytes: number, isDeletion: boolean): void;
  giveBack(bytes: number): void;
}

const MIB = 1024 * 1024;
/** What stays free, bytes: other programs fill disks too, between a look and a write. */
const RESERVE = 16 * MIB;
/** The same while the store has pages of its own to use again; of these a large value may still find no row that is long enough. */
const RESERVE_OF_FREED = 4 * MIB;
/** The same of deletions, which change few pages. */
const RESERVE_OF_DELETIONS = MIB;
/** Pages that a write changes besides those of its value, bytes: its way through the tree, and the list of free pages. */
const OVERHEAD = 64 * 1024;
/** How much more of its own pages than a write needs the store must have. */
const AMPLE = 4;

/** Bytes, as of now. */
export interface DiskState {
  /** What may still be filled on the disk. */
  free(): number;
  /** What the store's file holds and uses for nothing. */
  reusable(): number;
}

/**
 * LMDB's library (3.5) must never meet a full disk: it writes what it says of that beyond the memory it has taken for it,
 * and the process may end. So writes are refused before.
 */
export function createDiskRoom({ free, reusable }: DiskState): DiskRoom {
  let taken = 0;
  // A look takes 6 µs, a twentieth of a small write: writes of one flush share what the first of them saw.
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
    giveBack(bytes) {
      taken -= bytes;
      seen = undefined;
    },
  };
}

/**
 * What an unprivileged program may still fill of the disk that the file at `path` is on, bytes. Throws
 * `ERR_STORAGE_UNAVAILABLE` when there is no such file: what is written to one that was removed is lost with the process.
 */
export function freeBytesOf(path: string): () => number {
  return () => {
    try {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    } catch (cause) {
      throw new StorageError(
        'ERR_STORAGE_UNAVAILABLE',
        `the store's file cannot be found any more: ${messageOf(cause)}`,
        { cause },
      );
    }
  };
}

import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import { openDisk } from './lmdb-disk.ts';
import { StorageError } from './storage.ts';

/** Lock of a directory. After `release`, another process can lock the directory. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/** Arbitrary key to read; the environment is empty. */
const ANY = Buffer.from('any');
const PID_DIGITS = 10;

/**
 * Directories locked by this process. LMDB's reader table cannot detect a second lock by the same process.
 */
const held = new Set<string>();

/**
 * Locks the directory at `path` for this process. Rejects with ERR_STORAGE_LOCKED if a running process has
 * locked it.
 *
 * A file contains the owner's process id. It is written under the writer lock of a small LMDB environment
 * next to it. LMDB's reader table records whether that process is alive: a kernel lock backs each entry. The
 * lock disappears when the process ends, and works across containers that share the directory.
 */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  try {
    createFolder(path, 0o700);
    const directory = await realpath(path);
    if (held.has(directory)) throw lockedError(directory, process.pid);
    held.add(directory);
    return await claim(directory).catch((thrown: unknown) => {
      held.delete(directory);
      throw thrown;
    });
  } catch (thrown) {
    if (thrown instanceof StorageError) throw thrown;
    const message = `the data directory ${path} cannot be locked: ${messageOf(thrown)}`;
    throw new StorageError('ERR_STORAGE_UNAVAILABLE', message, { cause: thrown });
  }
}

async function claim(directory: string): Promise<DirectoryLock> {
  const folder = join(directory, 'owner');
  const table = await openDisk(folder);
  // The first read registers this process in the reader table until the environment is closed.
  table.get(ANY);
  const owner = table.transactionSync(() => {
    table.readerCheck();
    return claimFile(join(folder, 'pid'), readersOf(table.readerList()));
  });
  if (owner !== process.pid) {
    await table.close();
    throw lockedError(directory, owner);
  }
  return {
    // Closing removes this process from the reader table, which makes the id in the file invalid.
    async release() {
      await table.close();
      held.delete(directory);
    },
  };
}

/**
 * Writes this process's id to the file unless the recorded owner is alive. Returns the id of the owner. The
 * file is overwritten in place, which works on a full disk.
 */
function claimFile(path: string, living: ReadonlySet<number>): number {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const buffer = Buffer.alloc(PID_DIGITS);
    const pid = Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, PID_DIGITS, 0)));
    if (pid !== process.pid && living.has(pid)) return pid;
    writeSync(file, String(process.pid).padStart(PID_DIGITS, '0'), 0, 'latin1');
    return process.pid;
  } finally {
    closeSync(file);
  }
}

/** Parses LMDB's reader list: a heading, then lines of process id, thread and transaction. */
const readersOf = (listing: string): ReadonlySet<number> =>
  new Set(
    listing
      .split('\n')
      .slice(1)
      .map((line) => Number.parseInt(line, 10)),
  );

const lockedError = (directory: string, pid: number): StorageError =>
  new StorageError('ERR_STORAGE_LOCKED', `the data directory ${directory} is in use by process ${pid}`);

import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors/coded.ts';
import { openDisk } from './lmdb-disk.ts';
import { StorageError } from './storage.ts';

export interface DirectoryLock {
  release(): Promise<void>;
}

/** A key to read; the environment holds none. */
const ANY = Buffer.from('any');
const PID_DIGITS = 10;

/** Directories this process holds: a process is no stranger to itself, so LMDB cannot tell. */
const held = new Set<string>();

/**
 * Claims the directory at `path` for this process. Throws ERR_STORAGE_LOCKED when a living process holds it.
 *
 * The owner's process id stands in a file, changed under the writer lock of a small LMDB environment beside it. Whether that
 * process lives is asked of LMDB's table of readers, in which each entry is backed by a lock of the kernel: it ends with
 * the process however that ends, and holds across containers that share the directory.
 */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
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
  // The first read puts this process into the table of readers; it stays there until the environment is closed.
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
    // What stands in the file names nobody from now on: this process is no reader any more.
    async release() {
      await table.close();
      held.delete(directory);
    },
  };
}

/** Whose the directory is now. The file is written in place, so that even a full disk lets the next one in. */
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

/** Process ids of LMDB's listing: a heading, then lines of process id, thread and transaction. */
const readersOf = (listing: string): ReadonlySet<number> =>
  new Set(
    listing
      .split('\n')
      .slice(1)
      .map((line) => Number.parseInt(line, 10)),
  );

const lockedError = (directory: string, pid: number): StorageError =>
  new StorageError('ERR_STORAGE_LOCKED', `the data directory ${directory} is in use by process ${pid}`);

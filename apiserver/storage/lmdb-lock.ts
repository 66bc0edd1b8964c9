import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors/coded.ts';
import { openDisk } from './lmdb-disk.ts';
import { StorageError } from './storage.ts';

export interface DirectoryLock {
  release(): Promise<void>;
}

const OWNER = Buffer.from('owner');

/** Directories this process holds: a process is no stranger to itself, so LMDB cannot tell. */
const held = new Set<string>();

/**
 * Claims the directory at `path` for this process. Throws ERR_STORAGE_LOCKED when a living process holds it.
 *
 * The owner's process id stands in a small LMDB environment of its own, changed under LMDB's writer lock. Whether that
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
  const table = await openDisk(join(directory, 'owner'));
  // The first read puts this process into the table of readers; it stays there until the environment is closed.
  table.get(OWNER);
  const owner = table.transactionSync(() => {
    table.readerCheck();
    const pid = Number(table.get(OWNER)?.toString('latin1') ?? 0);
    if (pid !== process.pid && readersOf(table.readerList()).has(pid)) return pid;
    table.putSync(OWNER, Buffer.from(String(process.pid), 'latin1'));
    return process.pid;
  });
  if (owner !== process.pid) {
    await table.close();
    throw lockedError(directory, owner);
  }
  return {
    async release() {
      try {
        table.removeSync(OWNER);
      } catch {
        // A full disk. An owner that no longer lives is no obstacle to the next.
      }
      await table.close();
      held.delete(directory);
    },
  };
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

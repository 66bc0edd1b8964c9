import { type FileHandle, chmod, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { messageOf } from '../../base/errors/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import { checkPages } from './lmdb-check.ts';
import { META_PAGES, newestOf, readMetas } from './lmdb-meta.ts';

export type Disk = DiskOf<Buffer>;
export type DiskOf<T> = RootDatabase<T, Buffer>;

/** Returns the path of the data file of an environment. */
export const dataFileOf = (path: string): string => join(path, 'data.mdb');

/**
 * Opens the LMDB environment in the directory at `path`, which is created if missing. Only the owner has
 * access. LMDB's library is imported on demand, so that processes without an LMDB store stay small.
 *
 * `overlappingSync` is off: a commit resolves only after its flush, and a failed flush undoes the
 * transaction.
 */
export const openDisk = (path: string): Promise<Disk> => openEnvironment(path);

/**
 * Opens the environment to read everything once. Each value is the result of `read`, which receives bytes
 * that are valid only during the call, so no copies are left in memory. Throws if the file is damaged or no
 * LMDB file.
 */
export async function openDiskToRead<T>(path: string, read: (lent: Buffer) => T): Promise<DiskOf<T>> {
  await checkFile(dataFileOf(path));
  return openEnvironment(path, { decode: (lent, bytes) => read(lent.subarray(0, bytes)) });
}

async function openEnvironment<T>(
  path: string,
  encoder?: { decode(lent: Buffer, bytes: number): T },
): Promise<DiskOf<T>> {
  createFolder(path, 0o700);
  await chmod(path, 0o700);
  const { open } = await import('lmdb');
  const disk = open<T, Buffer>({
    path,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    encoder,
  });
  for (const file of ['data.mdb', 'lock.mdb']) await chmod(join(path, file), 0o600);
  return disk;
}

interface TreePages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Part of LMDB's statistics that the store uses. */
interface DiskStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreePages;
  /** Tree of free pages. */
  readonly free: TreePages;
}

/** Returns the number of bytes in the file that contain no data. LMDB uses them before the file grows. */
export function reusableBytes(disk: Disk): number {
  const { pageSize, lastPageNumber, root, free } = disk.getStats() as DiskStats;
  const pagesOf = (tree: TreePages): number =>
    tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
  return (lastPageNumber + 1 - META_PAGES - pagesOf(root) - pagesOf(free)) * pageSize;
}

/**
 * Throws an error of one sentence for a file that is not intact. LMDB maps its file and trusts it: a
 * truncated or damaged file, or a file of another program, would end this process with a signal or lose
 * records silently.
 *
 * A file shorter than its header says is extended with a hole: LMDB rejects a page of zeros, but would crash
 * on a read beyond the end of the file.
 */
async function checkFile(path: string): Promise<void> {
  const file = await openFile(path, 'r+').catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (file === undefined) return;
  try {
    await checkOpened(path, file);
  } finally {
    await file.close();
  }
}

async function checkOpened(path: string, file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  // LMDB would start with an empty store, and clients would treat all objects as deleted.
  if (size === 0)
    throw new Error(
      `${path} is empty, so damaged: restore a copy of it, or remove it to begin without objects`,
    );
  const metas = await readMetas(file);
  if (metas === undefined)
    throw new Error(`${path} is not an LMDB file, or is damaged: restore a copy of it`);
  const newest = newestOf(metas);
  if (newest === undefined)
    throw new Error(`${path} is damaged in its first two pages: restore a copy of it`);
  const bytes = (Math.max(...metas.map(({ lastPage }) => lastPage)) + 1) * newest.pageBytes;
  if (size < bytes) await file.truncate(bytes);
  try {
    checkPages(file.fd, newest);
  } catch (cause) {
    throw new Error(`${path} is damaged: restore a copy of it (${messageOf(cause)})`, { cause });
  }
}

/**
 * Returns the reason why a write failed. LMDB's library rejects each write of a failed transaction with an
 * error whose `commitError` is a promise. That promise rejects with the reason in the same turn; if it were
 * left unhandled, its rejection would end the process.
 */
export async function commitErrorOf(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Error && 'commitError' in thrown)) return thrown;
  const reason = Promise.resolve(thrown.commitError).then(
    () => thrown,
    (cause: unknown) => cause,
  );
  return Promise.race([reason, new Promise((resolve) => setImmediate(resolve, thrown))]);
}

/**
 * Returns a function to call after each write of `disk`. At the end of the turn LMDB's library creates
 * another promise for the transaction and handles it nowhere. On a full disk, its rejection would end the
 * process.
 */
export function createCommitGuard(disk: Disk): () => void {
  let waiting = false;
  const ignore = (): void => {};
  return () => {
    if (waiting) return;
    waiting = true;
    // Runs after the library's own callback, which the first write of the turn has queued.
    setImmediate(() => {
      waiting = false;
      void disk.committed.then(ignore, ignore);
    });
  };
}

import { type FileHandle, chmod, mkdir, open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { messageOf } from '../../base/errors/coded.ts';
import { checkPages } from './lmdb-check.ts';
import { META_PAGES, newestOf, readMetas } from './lmdb-meta.ts';

export type Disk = DiskOf<Buffer>;
export type DiskOf<T> = RootDatabase<T, Buffer>;

/** The file that an environment at `path` keeps everything in. */
export const dataFileOf = (path: string): string => join(path, 'data.mdb');

/**
 * Opens the LMDB environment in the directory at `path`, which is made when missing; directory and files are the owner's
 * alone. LMDB's library is loaded here, so that a process without such a store does without it.
 *
 * Without `overlappingSync` a commit resolves only after its flush, and a flush that fails undoes the transaction.
 */
export const openDisk = (path: string): Promise<Disk> => openEnvironment(path);

/**
 * The same for reading everything once: of each value there is what `read` makes of its bytes. They are lent to it until
 * it returns, so that a store of any size leaves no copies behind that nobody needs. Throws what is no LMDB file.
 */
export async function openDiskToRead<T>(path: string, read: (lent: Buffer) => T): Promise<DiskOf<T>> {
  await checkFile(dataFileOf(path));
  return openEnvironment(path, { decode: (lent, bytes) => read(lent.subarray(0, bytes)) });
}

async function openEnvironment<T>(
  path: string,
  encoder?: { decode(lent: Buffer, bytes: number): T },
): Promise<DiskOf<T>> {
  await mkdir(path, { recursive: true, mode: 0o700 });
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

/** What LMDB's library tells of an environment, as far as it is looked at. */
interface DiskStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreePages;
  /** The list of free pages. */
  readonly free: TreePages;
}

/** Bytes of the file that hold nothing any more, and are written to before it grows. */
export function reusableBytes(disk: Disk): number {
  const { pageSize, lastPageNumber, root, free } = disk.getStats() as DiskStats;
  const pagesOf = (tree: TreePages): number =>
    tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
  return (lastPageNumber + 1 - META_PAGES - pagesOf(root) - pagesOf(free)) * pageSize;
}

/**
 * LMDB maps its file and believes what is in it: one that was cut short, damaged, or is another file would end this
 * process with a signal or lose records unnoticed. A file that is shorter than it says is lengthened by a hole, which LMDB
 * tells from a page. Throws one sentence for a file that is not whole.
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
  // LMDB would begin anew in it: a server without any object, whose clients take everything for deleted.
  if (size === 0)
    throw new Error(
      `${path} is empty, so damaged: restore a copy of it, or remove it to begin without objects`,
    );
  const metas = await readMetas(file);
  if (metas === undefined) throw new Error(`${path} is no LMDB file, or damaged: restore a copy of it`);
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
 * Why a write failed. LMDB's library rejects each write of a failed transaction with an error that holds, as a promise
 * rejected in the same turn of the event loop, the reason; left alone that promise would end the process.
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
 * To be called after each write of `disk`. At the end of a turn of the event loop LMDB's library makes one more promise
 * for the transaction and hands it to nobody; were it rejected unheard, a full disk would end the process.
 */
export function createCommitGuard(disk: Disk): () => void {
  let waiting = false;
  const heard = (): void => {};
  return () => {
    if (waiting) return;
    waiting = true;
    // Runs after the library's own, which the first write of the turn has queued.
    setImmediate(() => {
      waiting = false;
      void disk.committed.then(heard, heard);
    });
  };
}

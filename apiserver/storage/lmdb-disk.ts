import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';

export type Disk = DiskOf<Buffer>;
export type DiskOf<T> = RootDatabase<T, Buffer>;

/**
 * Opens the LMDB environment in the directory at `path`, which is made when missing; directory and files are the owner's
 * alone. LMDB's library is loaded here, so that a process without such a store does without it.
 *
 * Without `overlappingSync` a commit resolves only after its flush, and a flush that fails undoes the transaction.
 */
export const openDisk = (path: string): Promise<Disk> => openEnvironment(path);

/**
 * The same for reading everything once: of each value there is what `read` makes of its bytes. They are lent to it until
 * it returns, so that a store of any size leaves no copies behind that nobody needs.
 */
export const openDiskToRead = <T>(path: string, read: (lent: Buffer) => T): Promise<DiskOf<T>> =>
  openEnvironment(path, { decode: (lent, bytes) => read(lent.subarray(0, bytes)) });

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

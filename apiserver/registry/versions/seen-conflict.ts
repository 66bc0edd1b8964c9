import type { Soon } from '../../../base/async/index.ts';
import { type Stored, StorageConflict } from '../../storage/storage.ts';

/** Runs a write of `key`. A conflict contains the current value as `seen` converts it. */
export async function withConflictSeen<T>(
  key: string,
  expected: number | 'absent',
  write: () => Promise<T>,
  seen: (stored: Stored) => Soon<Stored>,
): Promise<T> {
  try {
    return await write();
  } catch (thrown) {
    if (!(thrown instanceof StorageConflict)) throw thrown;
    throw new StorageConflict(key, expected, thrown.current && (await seen(thrown.current)));
  }
}

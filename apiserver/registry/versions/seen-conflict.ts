import type { Soon } from '../../../base/async/index.ts';
import { type Stored, StorageConflict } from '../../storage/storage.ts';

/**
 * Runs a write of `key`. A `StorageConflict` from it is rethrown with the current value converted by `seen`.
 */
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

import { stampResourceVersion } from './stamp.ts';
import { type Change, type Storage, StorageConflict, type Stored } from './storage.ts';

/**
 * Creates a store for dry runs. It reads from `base`, and returns what `base` would return for a write
 * without executing it. A written value has the revision of the value it would replace, or 0. Conditions on
 * other keys are not checked.
 */
export function createTrialStorage(base: Storage): Storage {
  /** Returns the current value. Throws `StorageConflict` unless the key is at `expected`. */
  const at = async (key: string, expected: number | 'absent'): Promise<Stored | undefined> => {
    const current = await base.get(key);
    if ((current?.revision ?? 'absent') !== expected) throw new StorageConflict(key, expected, current);
    return current;
  };
  return {
    revision: () => base.revision(),
    get: (key) => base.get(key),
    list: (prefix, options) => base.list(prefix, options),
    async put(key, value, expected) {
      const revision = (await at(key, expected))?.revision ?? 0;
      return { key, value: stampResourceVersion(value, revision), revision };
    },
    async delete(key, expected): Promise<Change> {
      const previous = await at(key, expected);
      return { type: 'delete', key, revision: expected, value: previous?.value ?? Buffer.of(), previous };
    },
    watch: (prefix, after, observer) => base.watch(prefix, after, observer),
    compact: async () => {},
    compacted: () => base.compacted(),
    close: async () => {},
  };
}

import type { HistoryLimits } from './mvcc.ts';
import { Mvcc, toStored } from './mvcc.ts';
import type { Change, Stamp, Storage, Stored } from './storage.ts';
import { StorageConflict } from './storage.ts';

export interface MemoryStorageOptions extends HistoryLimits {
  readonly stamp: Stamp;
  /** What is there at first, without a past; default nothing, at revision 0. Stamped already. */
  readonly initial?: { readonly revision: number; readonly items: readonly Stored[] };
}

/** A store that lives as long as the process. A write is visible, and given to watchers, before its promise resolves. */
export function createMemoryStorage({ stamp, initial, ...limits }: MemoryStorageOptions): Storage {
  const mvcc = new Mvcc(initial?.revision ?? 0, limits);
  for (const stored of initial?.items ?? []) mvcc.load(stored);
  const write = (
    type: Change['type'],
    key: string,
    value: Buffer | undefined,
    expected: number | 'absent',
    expiresAtMs?: number,
  ) => {
    mvcc.assertOpen();
    const revision = mvcc.revision + 1;
    const change = decide(mvcc, stamp, { type, key, value, expected, revision, expiresAtMs });
    mvcc.commit(change);
    return change;
  };
  return {
    async revision() {
      mvcc.assertOpen();
      return mvcc.revision;
    },
    get: (key) => mvcc.read(key),
    async list(prefix, options) {
      mvcc.assertOpen();
      return mvcc.list(prefix, options);
    },
    async put(key, value, expected, expiresAtMs) {
      return toStored(write('put', key, value, expected, expiresAtMs));
    },
    delete: async (key, expected) => write('delete', key, undefined, expected),
    async watch(prefix, after, observer) {
      mvcc.assertOpen();
      return mvcc.watch(prefix, after, observer);
    },
    async compact(revision) {
      mvcc.assertOpen();
      mvcc.compact(revision);
    },
    compacted: () => mvcc.compacted,
    async close() {
      mvcc.close();
    },
  };
}

/** The change a write makes at `revision`. Throws `StorageConflict` when the key is not at `expected`. */
export function decide(
  mvcc: Mvcc,
  stamp: Stamp,
  write: {
    readonly type: Change['type'];
    readonly key: string;
    /** Undefined for a deletion, whose value is the last one. */
    readonly value: Buffer | undefined;
    readonly expected: number | 'absent';
    readonly revision: number;
    readonly expiresAtMs?: number | undefined;
  },
): Change {
  const { type, key, expected, revision, expiresAtMs } = write;
  const previous = mvcc.get(key);
  const value = write.value ?? previous?.value;
  if ((previous?.revision ?? 'absent') !== expected || value === undefined)
    throw new StorageConflict(key, expected, previous);
  const change = { type, key, revision, value: stamp(value, revision), previous };
  return expiresAtMs === undefined ? change : { ...change, expiresAtMs };
}

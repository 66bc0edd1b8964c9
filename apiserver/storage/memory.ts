import type { HistoryLimits } from './mvcc.ts';
import { Mvcc, toStored } from './mvcc.ts';
import type { Change, PutOptions, Stamp, Storage, Stored } from './storage.ts';
import { StorageConditionFailed, StorageConflict } from './storage.ts';

export interface MemoryStorageOptions extends HistoryLimits {
  readonly stamp: Stamp;
  /** Initial contents, already stamped and without history. Default: empty, at revision 0. */
  readonly initial?: { readonly revision: number; readonly items: readonly Stored[] };
}

/**
 * Creates a store that lives as long as the process. A write is visible, and delivered to watchers, before
 * its promise resolves.
 */
export function createMemoryStorage({ stamp, initial, ...limits }: MemoryStorageOptions): Storage {
  const mvcc = new Mvcc(initial?.revision ?? 0, limits);
  for (const stored of initial?.items ?? []) mvcc.load(stored);
  const execute = (write: Write): Change => {
    mvcc.assertOpen();
    const companions = decideCompanions(mvcc, stamp, write, mvcc.revision + 1);
    const change = decide(mvcc, stamp, write, mvcc.revision + 1 + companions.length);
    for (const companion of companions) mvcc.commit(companion);
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
    async put(key, value, expected, options) {
      return toStored(execute({ type: 'put', key, value, expected, options }));
    },
    delete: async (key, expected, options) =>
      execute({ type: 'delete', key, value: undefined, expected, options }),
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

/** Request for one write. */
export interface Write {
  readonly type: Change['type'];
  readonly key: string;
  /** New value; undefined for a deletion, whose change has the last value. */
  readonly value: Buffer | undefined;
  readonly expected: number | 'absent';
  readonly options: PutOptions | undefined;
}

function assertAt(key: string, expected: number | 'absent', found: Stored | undefined): void {
  if ((found?.revision ?? 'absent') !== expected)
    throw new StorageConditionFailed(key, expected, found?.revision);
}

const NONE: readonly Change[] = [];

/**
 * Returns the changes of the companions of a write, the first at `revision`. Throws `StorageConditionFailed`
 * if a companion is not at its expected revision.
 */
export function decideCompanions(
  mvcc: Mvcc,
  stamp: Stamp,
  { options }: Write,
  revision: number,
): readonly Change[] {
  if (options?.with === undefined) return NONE;
  return options.with.map(({ key, value, expected }, at) => {
    assertAt(key, expected, mvcc.get(key));
    const type = value === undefined ? 'delete' : 'put';
    return decide(mvcc, stamp, { type, key, value, expected, options: undefined }, revision + at);
  });
}

/**
 * Returns the change that a write causes at `revision`. Throws the errors of `Storage.put` if a condition
 * fails.
 */
export function decide(mvcc: Mvcc, stamp: Stamp, write: Write, revision: number): Change {
  const { type, key, expected, options } = write;
  for (const condition of options?.while ?? [])
    assertAt(condition.key, condition.revision, mvcc.get(condition.key));
  const previous = mvcc.get(key);
  const value = write.value ?? previous?.value;
  if ((previous?.revision ?? 'absent') !== expected || value === undefined)
    throw new StorageConflict(key, expected, previous);
  const stamped = stamp(value, revision);
  const { expiresAtMs } = options ?? {};
  return expiresAtMs === undefined
    ? { type, key, revision, value: stamped, previous }
    : { type, key, revision, value: stamped, previous, expiresAtMs };
}

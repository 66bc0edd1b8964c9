import { plainStamp } from './storage.conformance.ts';
import {
  type Change,
  type Stamp,
  type Storage,
  StorageConflict,
  type Stored,
  type WriteOptions,
} from './storage.ts';

/**
 * Wraps a store so that its revisions begin at 0, as the conformance suite expects. `open` receives the stamp
 * with which to open the store.
 */
export async function fromZero(open: (stamp: Stamp) => Promise<Storage>): Promise<Storage> {
  let base = 0;
  const store = await open((value, revision) => plainStamp(value, revision - base));
  base = await store.revision();
  const away = (revision: number): number => revision + base;
  const stored = (each: Stored): Stored => ({ ...each, revision: each.revision - base });
  const change = (each: Change): Change => ({
    ...each,
    revision: each.revision - base,
    previous: each.previous && stored(each.previous),
  });
  const at = (expected: number | 'absent'): number | 'absent' =>
    expected === 'absent' ? expected : away(expected);
  const conditions = <O extends WriteOptions>(options: O): O => ({
    ...options,
    ...(options.while && {
      while: options.while.map(({ key, revision }) => ({ key, revision: away(revision) })),
    }),
    ...(options.with && {
      with: options.with.map((companion) => ({ ...companion, expected: at(companion.expected) })),
    }),
  });
  const shown = <T>(write: Promise<T>): Promise<T> =>
    write.catch((thrown: unknown) => {
      if (!(thrown instanceof StorageConflict) || thrown.current === undefined) throw thrown;
      throw new StorageConflict(thrown.current.key, 'absent', stored(thrown.current));
    });
  return {
    revision: async () => (await store.revision()) - base,
    async get(key) {
      const found = await store.get(key);
      return found && stored(found);
    },
    async list(prefix, { revision, ...options } = {}) {
      const past = revision === undefined ? {} : { revision: away(revision) };
      const page = await store.list(prefix, { ...options, ...past });
      return { ...page, items: page.items.map(stored), revision: page.revision - base };
    },
    put: async (key, value, expected, options = {}) =>
      stored(await shown(store.put(key, value, at(expected), conditions(options)))),
    delete: async (key, expected, options = {}) =>
      change(await shown(store.delete(key, away(expected), conditions(options)))),
    async watch(prefix, after, observer) {
      const subscription = await store.watch(prefix, away(after), {
        onChange: (each) => observer.onChange(change(each)),
        onEnd: (error) => observer.onEnd(error),
      });
      return {
        get revision() {
          return subscription.revision - base;
        },
        progress: () => subscription.progress(),
        cancel: () => subscription.cancel(),
      };
    },
    compact: (revision) => store.compact(away(revision)),
    compacted: () => Math.max(0, store.compacted() - base),
    close: () => store.close(),
  };
}

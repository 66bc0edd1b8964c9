import type { ApiObject, DeepReadonly, StoredAs } from '../../../api/kinds/index.ts';
import { nextSlice } from '../../../base/budget/index.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import type { Stored } from '../../storage/storage.ts';
import { type InList, joinValues } from '../../watch/entries.ts';
import { inListOf } from '../read/list-document.ts';
import { DerivingEntry, toChange, toEntry } from '../../watch/entry.ts';
import type { CacheChange, Entry, Watcher } from '../../watch/watch-cache.ts';
import { type ObjectCache, type ObjectStorage, type Resource, parseObject } from '../resource.ts';
import { toStoredBytes } from '../write/serialisation.ts';
import { withConflictSeen } from './seen-conflict.ts';

/**
 * Returns a resource at a version other than the stored one. `stored` has the unconverted store and cache.
 * The store and cache of the result use the version, so that every verb works as on any other resource.
 * Revisions and keys do not differ between versions.
 */
export const versionOf = (stored: Resource, storedAs: StoredAs): Resource =>
  translated(stored, translationOf(stored, storedAs));

/** Returns a resource whose store and cache contain its objects in another form. */
export function translated(stored: Resource, translation: Translation): Resource {
  return {
    ...stored,
    storage: storageAt(stored.storage, translation),
    trials: storageAt(stored.trials, translation),
    cache: new CacheAt(stored.cache, translation, inListOf(stored.kind)),
  };
}

/** Translation of bytes between two versions, each in canonical form. */
export interface Translation {
  /** Returns the bytes at the version of the resource, stamped with `revision` as stored bytes are. */
  fromStored(value: Buffer, revision: number): Buffer;
  toStored(value: Buffer): Buffer;
  /** True if the bytes are of a form that is read but no longer written. Default: false for all bytes. */
  isOutdated?(value: Buffer): boolean;
}

function translationOf(version: Resource, storedAs: StoredAs): Translation {
  const { scheme } = version;
  const context = { vocabulary: scheme.vocabulary };
  const target = {
    kind: storedAs.kind as unknown as Resource['kind'],
    typeMeta: scheme.typeMetaOf(storedAs.kind),
  };
  // The cast is safe: decoding has checked that the bytes are of that kind.
  const parsed = (bytes: Buffer): DeepReadonly<never> => parseObject(bytes) as DeepReadonly<never>;
  return {
    fromStored: (value, revision) => {
      const converted: ApiObject = storedAs.fromStorage(parsed(value), context);
      return stampResourceVersion(toStoredBytes(version, converted), revision);
    },
    toStored: (value) => toStoredBytes(target, storedAs.toStorage(parsed(value), context)),
  };
}

/** Minimum size, in bytes, of values that are translated in a separate turn of the event loop. */
const LARGE = 128 * 1024;

function storageAt(base: ObjectStorage, translation: Translation): ObjectStorage {
  const seen = (stored: Stored): Stored => ({
    ...stored,
    value: translation.fromStored(stored.value, stored.revision),
    ...(translation.isOutdated?.(stored.value) ? { outdated: true } : {}),
  });
  const seenInTurn = async (stored: Stored): Promise<Stored> => {
    if (stored.value.length >= LARGE) await nextSlice();
    return seen(stored);
  };
  const translated = <T>(key: string, expected: number | 'absent', write: () => Promise<T>): Promise<T> =>
    withConflictSeen(key, expected, write, seen);
  return {
    revision: () => base.revision(),
    async get(key) {
      const stored = await base.get(key);
      return stored && seenInTurn(stored);
    },
    async list(prefix, options) {
      const page = await base.list(prefix, options);
      const items: Stored[] = [];
      let bytes = 0;
      for (const stored of page.items) {
        if ((bytes += stored.value.length) >= LARGE) {
          bytes = 0;
          await nextSlice();
        }
        items.push(seen(stored));
      }
      return { ...page, items };
    },
    put: (key, value, expected, options) =>
      translated(key, expected, async () =>
        seenInTurn(await base.put(key, translation.toStored(value), expected, options)),
      ),
    delete: (key, expected, options) =>
      translated(key, expected, async () => {
        const change = await base.delete(key, expected, options);
        return {
          ...change,
          // Translated on access, as few callers need the values.
          get value() {
            return translation.fromStored(change.value, change.revision);
          },
          get previous() {
            return change.previous && seen(change.previous);
          },
        };
      }),
  };
}

/** Cache entry that is converted on first use, once for all readers of this version. */
class ConvertedEntry extends DerivingEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly #base: Entry;
  readonly #translation: Translation;
  #entry: WeakRef<Entry> | undefined;

  constructor(base: Entry, translation: Translation) {
    super();
    this.key = base.key;
    this.revision = base.revision;
    this.#base = base;
    this.#translation = translation;
  }

  get value(): Buffer {
    return this.#converted().value;
  }

  get object(): DeepReadonly<ApiObject> {
    return this.#converted().object;
  }

  #converted(): Entry {
    const held = this.#entry?.deref();
    if (held) return held;
    const { key, revision } = this;
    const entry = toEntry({ key, revision, value: this.#translation.fromStored(this.#base.value, revision) });
    this.#entry = new WeakRef(entry);
    return entry;
  }
}

/** Cache whose objects are of another version than those of `base`. */
class CacheAt implements ObjectCache {
  readonly #base: ObjectCache;
  readonly #inList: InList;
  readonly #entry: (each: Entry) => Entry;
  readonly #change: (each: CacheChange) => CacheChange;
  readonly #list: (entries: readonly Entry[]) => readonly Entry[];

  constructor(base: ObjectCache, translation: Translation, inList: InList) {
    this.#base = base;
    this.#inList = inList;
    const entry = memoised((each: Entry): Entry => new ConvertedEntry(each, translation));
    this.#entry = entry;
    this.#change = memoised(({ type, entry: now, previous }: CacheChange): CacheChange =>
      toChange(type, entry(now), previous && entry(previous)),
    );
    this.#list = memoised((entries: readonly Entry[]): readonly Entry[] => Object.freeze(entries.map(entry)));
  }

  get revision(): number {
    return this.#base.revision;
  }

  get oldest(): number {
    return this.#base.oldest;
  }

  reached(revision: number, timeoutMs: number): Promise<boolean> {
    return this.#base.reached(revision, timeoutMs);
  }

  get(key: string): Entry | undefined {
    const found = this.#base.get(key);
    return found && this.#entry(found);
  }

  list(prefix: string): readonly Entry[] {
    return this.#list(this.#base.list(prefix));
  }

  chunksOf(list: readonly Entry[]): readonly Buffer[] {
    return joinValues(list, this.#inList);
  }

  subscribe(observer: Parameters<ObjectCache['subscribe']>[0]): () => void {
    return this.#base.subscribe({ onChange: (each) => observer.onChange(this.#change(each)) });
  }

  watch(prefix: string, after: number, watcher: Watcher): () => void {
    return this.#base.watch(prefix, after, {
      deliver: (each) => watcher.deliver(this.#change(each)),
      onReady: (resume) => watcher.onReady(resume),
      onEnd: (error) => watcher.onEnd(error),
    });
  }
}

/** Returns a function that calls `make` once per argument, as long as the argument is reachable. */
function memoised<K extends object, V extends object>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

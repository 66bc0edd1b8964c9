import { createOrderedMap } from '../storage/ordered-map.ts';
import type { Entry } from './watch-cache.ts';

const COMMA = Buffer.from(',');
const NONE: readonly Entry[] = Object.freeze([]);

/**
 * Minimum size, in bytes, of a chunk: large enough for few writes per list, small enough for back-pressure.
 */
const CHUNK_BYTES = 512 * 1024;

/** Current entries in key order, with cached lists of them. */
export interface Entries {
  readonly size: number;
  get(key: string): Entry | undefined;
  set(entry: Entry): void;
  delete(key: string): void;
  list(prefix: string): readonly Entry[];
  chunksOf(list: readonly Entry[]): readonly Buffer[];
}

/**
 * Creates an empty set of entries. The cost of a write depends on the depth of its key, not on the number of
 * keys, as lists are created on demand.
 */
export const createEntries = (inList: InList): Entries => new ListedEntries(inList);

// This is a class because an accessor in an object literal gives each object a separate hidden class, which
// makes call sites that use several sets slow.
class ListedEntries implements Entries {
  readonly #inList: InList;
  readonly #tree = createOrderedMap<Entry>();
  readonly #lists = new Map<string, readonly Entry[]>();
  /**
   * Joined chunks by list. Held weakly: a copy of all bytes is only worth its memory while lists are
   * requested.
   */
  readonly #joined = new WeakMap<readonly Entry[], WeakRef<readonly Buffer[]>>();

  constructor(inList: InList) {
    this.#inList = inList;
  }

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): Entry | undefined {
    return this.#tree.get(key);
  }

  set(entry: Entry): void {
    this.#forget(entry.key);
    this.#tree.set(entry.key, entry);
  }

  delete(key: string): void {
    this.#forget(key);
    this.#tree.delete(key);
  }

  /**
   * Returns the entries with `prefix`. The list is cached only if it is not empty and the prefix is empty or
   * ends in `/`: clients could request any number of other prefixes.
   */
  list(prefix: string): readonly Entry[] {
    const held = this.#lists.get(prefix);
    if (held) return held;
    const entries: Entry[] = [];
    this.#tree.scan(prefix, undefined, (entry) => entries.push(entry) > 0);
    if (entries.length === 0) return NONE;
    Object.freeze(entries);
    if (prefix === '' || prefix.endsWith('/')) this.#lists.set(prefix, entries);
    return entries;
  }

  chunksOf(entries: readonly Entry[]): readonly Buffer[] {
    const held = this.#joined.get(entries)?.deref();
    if (held) return held;
    const made = joinValues(entries, this.#inList);
    this.#joined.set(entries, new WeakRef(made));
    return made;
  }

  #forget(key: string): void {
    if (this.#lists.size === 0) return;
    this.#lists.delete('');
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
      this.#lists.delete(key.slice(0, at + 1));
  }
}

/** Function that returns the bytes of an object as an item of a list, in pieces. */
export type InList = (value: Buffer) => readonly Buffer[];

/** Returns the values of `entries` joined by commas, in large chunks. */
export function joinValues(entries: readonly Pick<Entry, 'value'>[], inList: InList): readonly Buffer[] {
  const chunks: Buffer[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer): void => {
    parts.push(part);
    bytes += part.length;
  };
  const close = (): void => {
    if (parts.length > 0) chunks.push(Buffer.concat(parts, bytes));
    parts = [];
    bytes = 0;
  };
  entries.forEach(({ value }, index) => {
    if (index > 0) add(COMMA);
    for (const part of inList(value)) add(part);
    if (bytes >= CHUNK_BYTES) close();
  });
  close();
  return Object.freeze(chunks);
}

import { createOrderedMap } from '../storage/ordered-map.ts';
import type { Entry } from './watch-cache.ts';

const COMMA = Buffer.from(',');
const NONE: readonly Entry[] = Object.freeze([]);

/** Large enough that a list of any size costs few writes, small enough for back-pressure to act. */
const CHUNK_BYTES = 512 * 1024;

/** The current entries in key order, and what lists of them were asked for since they last changed. */
export interface Entries {
  readonly size: number;
  get(key: string): Entry | undefined;
  set(entry: Entry): void;
  delete(key: string): void;
  list(prefix: string): readonly Entry[];
  chunksOf(list: readonly Entry[]): readonly Buffer[];
}

/** A write costs the depth of its key, not the number of keys: lists are made when asked for. */
export function createEntries(inList: InList): Entries {
  const tree = createOrderedMap<Entry>();
  const lists = new Map<string, readonly Entry[]>();
  /** Held weakly: a copy of all bytes is worth keeping only while lists are being asked for. */
  const joined = new WeakMap<readonly Entry[], WeakRef<readonly Buffer[]>>();

  const forget = (key: string): void => {
    if (lists.size === 0) return;
    lists.delete('');
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
      lists.delete(key.slice(0, at + 1));
  };
  /** Of prefixes alone under which there is something: a stranger may ask for any number of others. */
  const list = (prefix: string): readonly Entry[] => {
    const held = lists.get(prefix);
    if (held) return held;
    const entries: Entry[] = [];
    tree.scan(prefix, undefined, (entry) => entries.push(entry) > 0);
    if (entries.length === 0) return NONE;
    Object.freeze(entries);
    if (prefix === '' || prefix.endsWith('/')) lists.set(prefix, entries);
    return entries;
  };

  return {
    get size() {
      return tree.size;
    },
    get: (key) => tree.get(key),
    set(entry) {
      forget(entry.key);
      tree.set(entry.key, entry);
    },
    delete(key) {
      forget(key);
      tree.delete(key);
    },
    list,
    chunksOf(entries) {
      const held = joined.get(entries)?.deref();
      if (held) return held;
      const made = joinValues(entries, inList);
      joined.set(entries, new WeakRef(made));
      return made;
    },
  };
}

/** The bytes of an object as an item of a list, in pieces. */
export type InList = (value: Buffer) => readonly Buffer[];

/** The values of `entries` joined by commas, in large chunks. */
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

import { createOrderedMap } from '../storage/ordered-map.ts';
import type { Entry } from './watch-cache.ts';

const COMMA = Buffer.from(',');
const NONE: readonly Entry[] = Object.freeze([]);
const NO_CHUNKS: readonly Buffer[] = Object.freeze([]);

/** Large enough that a list of any size costs few writes, small enough for back-pressure to act. */
const CHUNK_BYTES = 512 * 1024;

interface Memo {
  readonly entries: readonly Entry[];
  /** Held weakly: a copy of all bytes is worth keeping only while lists are being asked for. */
  chunks: WeakRef<readonly Buffer[]> | undefined;
}

/** The current entries in key order, and what lists of them were asked for since they last changed. */
export interface Entries {
  readonly size: number;
  get(key: string): Entry | undefined;
  set(entry: Entry): void;
  delete(key: string): void;
  list(prefix: string): readonly Entry[];
  chunks(prefix: string): readonly Buffer[];
}

/** A write costs the depth of its key, not the number of keys: lists are made when asked for. */
export function createEntries(inList: InList): Entries {
  const tree = createOrderedMap<Entry>();
  const memos = new Map<string, Memo>();

  const forget = (key: string): void => {
    if (memos.size === 0) return;
    memos.delete('');
    for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1))
      memos.delete(key.slice(0, at + 1));
  };
  /** Of prefixes alone under which there is something: a stranger may ask for any number of others. */
  const memo = (prefix: string): Memo | undefined => {
    const held = memos.get(prefix);
    if (held) return held;
    const entries: Entry[] = [];
    tree.scan(prefix, undefined, (entry) => entries.push(entry) > 0);
    if (entries.length === 0) return undefined;
    const made: Memo = { entries: Object.freeze(entries), chunks: undefined };
    if (prefix === '' || prefix.endsWith('/')) memos.set(prefix, made);
    return made;
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
    list: (prefix) => memo(prefix)?.entries ?? NONE,
    chunks(prefix) {
      const found = memo(prefix);
      if (!found) return NO_CHUNKS;
      const held = found.chunks?.deref();
      if (held) return held;
      const made = joinValues(found.entries, inList);
      found.chunks = new WeakRef(made);
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

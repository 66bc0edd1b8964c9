import type { FileHandle } from 'node:fs/promises';

/** Root of a tree of pages (`MDB_db`). */
export interface TreeMeta {
  /** Number of levels; 0 for an empty tree. */
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  /** Number of key-value pairs. */
  readonly entries: number;
  readonly root: number;
}

/** One of the two meta pages at the start of an LMDB file (`MDB_meta`, after the page header). */
export interface Meta {
  readonly version: number;
  readonly pageBytes: number;
  readonly lastPage: number;
  /** Number of the transaction. Transactions alternate between the two meta pages. */
  readonly transaction: number;
  /** Tree of pages that can be reused. */
  readonly free: TreeMeta;
  readonly main: TreeMeta;
}

/** Version of the data format that `checkPages` understands (`MDB_DATA_VERSION`). */
export const KNOWN_VERSION = 2;

/** Number of meta pages at the start of a file. */
export const META_PAGES = 2;
const MAGIC_AT = 24;
const VERSION_AT = 28;
const FREE_AT = 48;
const MAIN_AT = 96;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;

/** Reads the two meta pages. Returns undefined if they are not valid. */
export async function readMetas(file: FileHandle): Promise<readonly [Meta, Meta] | undefined> {
  const first = await readMeta(file, 0);
  if (first === undefined) return undefined;
  const { pageBytes } = first;
  if (pageBytes < 512 || pageBytes > 65_536 || !Number.isInteger(Math.log2(pageBytes))) return undefined;
  const second = await readMeta(file, pageBytes);
  return second?.pageBytes === pageBytes ? [first, second] : undefined;
}

async function readMeta(file: FileHandle, at: number): Promise<Meta | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(META_BYTES), 0, META_BYTES, at);
  if (bytesRead !== META_BYTES || buffer.readUInt32LE(MAGIC_AT) !== MAGIC) return undefined;
  return {
    version: buffer.readUInt32LE(VERSION_AT),
    pageBytes: buffer.readUInt32LE(FREE_AT),
    lastPage: wordAt(buffer, LAST_PAGE_AT),
    transaction: wordAt(buffer, TRANSACTION_AT),
    free: treeAt(buffer, FREE_AT),
    main: treeAt(buffer, MAIN_AT),
  };
}

const treeAt = (buffer: Buffer, at: number): TreeMeta => ({
  depth: buffer.readUInt16LE(at + 6),
  branchPages: wordAt(buffer, at + 8),
  leafPages: wordAt(buffer, at + 16),
  overflowPages: wordAt(buffer, at + 24),
  entries: wordAt(buffer, at + 32),
  root: wordAt(buffer, at + 40),
});

/**
 * Reads eight bytes, little-endian. The result is inexact above 2^53, which page and transaction numbers do
 * not reach.
 */
export const wordAt = (buffer: Buffer, at: number): number =>
  buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * 2 ** 32;

/**
 * Returns the meta page of the newest transaction, or undefined if a meta page is damaged. The two pages must
 * be of consecutive transactions, each in its alternate page. With a damaged page, LMDB would fall back to
 * the other page and lose the newest transaction.
 *
 * In backups that LMDB has compacted, the first page is empty.
 */
export function newestOf(metas: readonly [Meta, Meta]): Meta | undefined {
  const [first, second] = metas;
  if (first.transaction === 0 && second.transaction === 0) return first;
  const newest = first.transaction > second.transaction ? first : second;
  const isTurn = metas[newest.transaction % 2] === newest;
  const isNext = Math.abs(first.transaction - second.transaction) === 1;
  return isTurn && (isNext || isEmpty(first)) ? newest : undefined;
}

const isEmpty = ({ transaction, lastPage, main, free }: Meta): boolean =>
  transaction === 0 && lastPage === META_PAGES - 1 && main.depth === 0 && free.depth === 0;

import { readSync } from 'node:fs';
import { KNOWN_VERSION, META_PAGES, type Meta, type TreeMeta, wordAt } from './lmdb-meta.ts';

/**
 * Layout of a page header (`MDB_page_header`): page number, transaction that wrote the page, flags, end of
 * the node table, first node.
 */
const TRANSACTION_AT = 8;
const FLAGS_AT = 18;
const TABLE_END_AT = 20;
const NODES_AT = 22;
const HEAD_BYTES = 24;
const BRANCH = 1;
const LEAF = 2;

/**
 * Layout of a node (`MDB_node`): 32 bits of a size or page number, flags or 16 more bits of the page number,
 * key size, key, value.
 */
const NODE_FLAGS_AT = 4;
const KEY_SIZE_AT = 6;
const NODE_BYTES = 8;
/**
 * Flag of a node whose value is on overflow pages. The node contains the first page, its transaction and the
 * number of pages.
 */
const ON_PAGES = 1;
const OVERFLOW_BYTES = 24;

/**
 * Walks the trees of an LMDB file and throws if a page contradicts the pages above it. LMDB trusts its pages:
 * a damaged page makes it abort the process, skip records or overwrite other pages. The contents of records
 * are not checked.
 */
export function checkPages(fd: number, meta: Meta): void {
  if (meta.version !== KNOWN_VERSION) return;
  new PageCheck(fd, meta).run();
}

/** Called with each value of a tree; undefined if the values are not needed. */
type OnValue = ((value: Buffer) => void) | undefined;

const WORD_BYTES = 8;

class PageCheck {
  readonly #meta: Meta;
  readonly #pages: Pages;
  /** Bit set with one bit for each page of the file, which is 1 if the page is part of a tree. */
  readonly #used: Uint8Array;
  readonly #counted = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
  readonly #freed: number[] = [];

  constructor(fd: number, meta: Meta) {
    this.#meta = meta;
    this.#pages = new Pages(fd, meta.pageBytes);
    this.#used = new Uint8Array(Math.ceil((meta.lastPage + 1) / 8));
  }

  run(): void {
    const { main, free } = this.#meta;
    this.#tree(main, undefined);
    this.#tree(free, (value) => this.#readFreed(value));
    // LMDB would overwrite pages that are listed as free.
    for (const page of this.#freed)
      if (this.#isUsed(page)) throw damaged(page, 'it is in use and listed as free');
  }

  #tree(tree: TreeMeta, onValue: OnValue): void {
    Object.assign(this.#counted, { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 });
    if (tree.depth > 0) this.#page(tree.root, tree.depth, this.#meta.transaction, onValue);
    for (const [what, count] of Object.entries(this.#counted))
      if (tree[what as keyof TreeMeta] !== count)
        throw damaged(tree.root, `its tree has ${count} instead of ${tree[what as keyof TreeMeta]} ${what}`);
  }

  /** Checks a page and the pages below it. None of them may be newer than transaction `newest`. */
  #page(number: number, depth: number, newest: number, onValue: OnValue): void {
    this.#use(number, 1);
    const isLeaf = depth === 1;
    // A branch page is needed until its children are read, so it is copied.
    const page = isLeaf ? this.#pages.lend(number) : this.#pages.read(number, 1);
    const transaction = wordAt(page, TRANSACTION_AT);
    if (wordAt(page, 0) !== number || page.readUInt16LE(FLAGS_AT) !== (isLeaf ? LEAF : BRANCH))
      throw damaged(number, `it is not a ${isLeaf ? 'leaf' : 'branch'}`);
    if (transaction > newest) throw damaged(number, 'it is newer than the page above it');
    this.#counted[isLeaf ? 'leafPages' : 'branchPages'] += 1;
    const size = page.readUInt16LE(TABLE_END_AT);
    const nodes = HEAD_BYTES + page.readUInt16LE(NODES_AT);
    if (size === 0 || size % 2 !== 0 || HEAD_BYTES + size > nodes || nodes > page.length)
      throw damaged(number, 'its table of nodes is broken');
    for (let at = HEAD_BYTES; at < HEAD_BYTES + size; at += 2) {
      const node = HEAD_BYTES + page.readUInt16LE(at);
      if (node < nodes || node + NODE_BYTES > page.length) throw damaged(number, 'a node does not fit in it');
      if (isLeaf) this.#leaf(number, page, node, onValue);
      else this.#page(childAt(page, node), depth - 1, transaction, onValue);
    }
  }

  /** Checks a node of a leaf page. Overflow pages are only read for `onValue`, as records have checksums. */
  #leaf(number: number, page: Buffer, node: number, onValue: OnValue): void {
    this.#counted.entries += 1;
    const flags = page.readUInt16LE(node + NODE_FLAGS_AT);
    const low = page.readUInt32LE(node);
    const valueAt = node + NODE_BYTES + page.readUInt16LE(node + KEY_SIZE_AT);
    const bytes = flags === ON_PAGES ? OVERFLOW_BYTES : low;
    if (flags > ON_PAGES || valueAt + bytes > page.length) throw damaged(number, 'a node does not fit in it');
    if (flags !== ON_PAGES) {
      onValue?.(page.subarray(valueAt, valueAt + bytes));
      return;
    }
    const [first, count] = [wordAt(page, valueAt), wordAt(page, valueAt + 16)];
    if (count !== Math.ceil((HEAD_BYTES + low) / page.length))
      throw damaged(number, 'a value has the wrong size');
    this.#use(first, count);
    this.#counted.overflowPages += count;
    onValue?.(this.#pages.read(first, count).subarray(HEAD_BYTES, HEAD_BYTES + low));
  }

  #use(first: number, count: number): void {
    if (first < META_PAGES || first + count - 1 > this.#meta.lastPage)
      throw damaged(first, 'it does not exist');
    for (let page = first; page < first + count; page++) {
      if (this.#isUsed(page)) throw damaged(page, 'it is in two places');
      this.#used[page >> 3] = (this.#used[page >> 3] ?? 0) | (1 << (page & 7));
    }
  }

  #isUsed(page: number): boolean {
    return ((this.#used[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }

  /**
   * Reads a list of free pages: a count of words, then the words. A word is a page number or 0 for none. A
   * negative word is the number of consecutive pages, and the next word the first of these pages (lmdb-js,
   * `midl.c`).
   */
  #readFreed(list: Buffer): void {
    const words = list.length < WORD_BYTES ? 0 : wordAt(list, 0);
    if (words > list.length / WORD_BYTES - 1)
      throw damaged(this.#meta.free.root, 'its list of free pages is broken');
    for (let at = 1; at <= words; at++) {
      const word = Number(list.readBigInt64LE(at * WORD_BYTES));
      if (word > 0) this.#free(word, 1);
      else if (word < 0 && at < words) this.#free(wordAt(list, ++at * WORD_BYTES), -word);
    }
  }

  #free(first: number, count: number): void {
    if (first < META_PAGES || first + count - 1 > this.#meta.lastPage)
      throw damaged(first, 'it is listed as free and does not exist');
    for (let page = first; page < first + count; page++) this.#freed.push(page);
  }
}

/** Returns the 48-bit page number in a branch node. */
const childAt = (page: Buffer, node: number): number =>
  page.readUInt32LE(node) + page.readUInt16LE(node + NODE_FLAGS_AT) * 2 ** 32;

const damaged = (page: number, why: string): Error => new Error(`page ${page}: ${why}`);

const BLOCK_BYTES = 256 * 1024;
/** Maximum number of cached blocks. Neighbours in a tree are close to each other in the file. */
const BLOCKS = 32;

/** Reader for the pages of a file, which reads blocks of many pages. */
class Pages {
  readonly #fd: number;
  readonly #pageBytes: number;
  readonly #blocks = new Map<number, Buffer>();

  constructor(fd: number, pageBytes: number) {
    this.#fd = fd;
    this.#pageBytes = pageBytes;
  }

  /** Returns a page that is valid until the next call. Bytes beyond the end of the file are 0. */
  lend(number: number): Buffer {
    const from = number * this.#pageBytes;
    const block = Math.floor(from / BLOCK_BYTES);
    const at = from - block * BLOCK_BYTES;
    return (this.#blocks.get(block) ?? this.#load(block)).subarray(at, at + this.#pageBytes);
  }

  /** Returns a copy of consecutive pages. */
  read(first: number, count: number): Buffer {
    return this.#fill(Buffer.allocUnsafe(count * this.#pageBytes), first * this.#pageBytes);
  }

  /** Reads a block into the memory of the oldest block: allocating memory costs more than reading. */
  #load(number: number): Buffer {
    const [oldest] = this.#blocks.keys();
    const isFull = oldest !== undefined && this.#blocks.size >= BLOCKS;
    const memory = (isFull ? this.#blocks.get(oldest) : undefined) ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
    if (isFull) this.#blocks.delete(oldest);
    this.#blocks.set(number, memory);
    return this.#fill(memory, number * BLOCK_BYTES);
  }

  #fill(bytes: Buffer, from: number): Buffer {
    let done = 0;
    while (done < bytes.length) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, from + done);
      if (read === 0) break;
      done += read;
    }
    return bytes.fill(0, done);
  }
}

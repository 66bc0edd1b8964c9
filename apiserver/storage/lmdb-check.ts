import { readSync } from 'node:fs';
import { KNOWN_VERSION, META_PAGES, type Meta, type TreeMeta, wordAt } from './lmdb-meta.ts';

/** The head of a page (`MDB_page_header`): own number, transaction that wrote it, flags, end of the table, first node. */
const TRANSACTION_AT = 8;
const FLAGS_AT = 18;
const TABLE_END_AT = 20;
const NODES_AT = 22;
const HEAD_BYTES = 24;
const BRANCH = 1;
const LEAF = 2;

/** A node (`MDB_node`): 32 bits of a size or page, flags or 16 more bits of the page, size of the key, key, value. */
const NODE_FLAGS_AT = 4;
const KEY_SIZE_AT = 6;
const NODE_BYTES = 8;
/** The value is on pages of its own; in the node are the first one, its transaction and how many. */
const ON_PAGES = 1;
const OVERFLOW_BYTES = 24;

/**
 * Walks through the trees of an LMDB file and throws where a page is not what the pages above it say. LMDB itself believes
 * them all: on a damaged page it aborts the process, passes records over, or writes over others. What is in records is
 * not looked at.
 */
export function checkPages(fd: number, meta: Meta): void {
  if (meta.version !== KNOWN_VERSION) return;
  new PageCheck(fd, meta).run();
}

/** Called with each value of a tree; undefined where nobody looks at them. */
type OnValue = ((value: Buffer) => void) | undefined;

const WORD_BYTES = 8;

class PageCheck {
  readonly #meta: Meta;
  readonly #pages: Pages;
  /** A bit for each page that one of the trees has. */
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
    // LMDB would overwrite them.
    for (const page of this.#freed)
      if (this.#isUsed(page)) throw damaged(page, 'it is in use and listed as free');
  }

  #tree(tree: TreeMeta, onValue: OnValue): void {
    Object.assign(this.#counted, { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 });
    if (tree.depth > 0) this.#page(tree.root, tree.depth, this.#meta.transaction, onValue);
    for (const [what, count] of Object.entries(this.#counted))
      if (tree[what as keyof TreeMeta] !== count)
        throw damaged(tree.root, `its tree has ${count} of ${tree[what as keyof TreeMeta]} ${what}`);
  }

  /** `newest`: no page below another one was written after it. */
  #page(number: number, depth: number, newest: number, onValue: OnValue): void {
    this.#use(number, 1);
    const isLeaf = depth === 1;
    // Pages below a branch are read before it is done with.
    const page = isLeaf ? this.#pages.lend(number) : this.#pages.read(number, 1);
    const transaction = wordAt(page, TRANSACTION_AT);
    if (wordAt(page, 0) !== number || page.readUInt16LE(FLAGS_AT) !== (isLeaf ? LEAF : BRANCH))
      throw damaged(number, `it is no ${isLeaf ? 'leaf' : 'branch'}`);
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

  /** A value that is on pages of its own is read for `onValue` alone: records have checksums. */
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
      throw damaged(number, 'a value has another size');
    this.#use(first, count);
    this.#counted.overflowPages += count;
    onValue?.(this.#pages.read(first, count).subarray(HEAD_BYTES, HEAD_BYTES + low));
  }

  #use(first: number, count: number): void {
    if (first < META_PAGES || first + count - 1 > this.#meta.lastPage) throw damaged(first, 'there is none');
    for (let page = first; page < first + count; page++) {
      if (this.#isUsed(page)) throw damaged(page, 'it is in two places');
      this.#used[page >> 3] = (this.#used[page >> 3] ?? 0) | (1 << (page & 7));
    }
  }

  #isUsed(page: number): boolean {
    return ((this.#used[page >> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }

  /**
   * A list: how many words follow that count; each is a page, 0 for none, or a negative number of pages, with the first
   * of them behind it (lmdb-js, `midl.c`).
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
      throw damaged(first, 'it is listed as free and there is none');
    for (let page = first; page < first + count; page++) this.#freed.push(page);
  }
}

/** Of a branch a node is a page of 48 bits. */
const childAt = (page: Buffer, node: number): number =>
  page.readUInt32LE(node) + page.readUInt16LE(node + NODE_FLAGS_AT) * 2 ** 32;

const damaged = (page: number, why: string): Error => new Error(`page ${page}: ${why}`);

const BLOCK_BYTES = 256 * 1024;
/** Blocks that are kept: pages that follow each other in a tree lie near each other in the file. */
const BLOCKS = 32;

/** Pages of a file, read in larger blocks. */
class Pages {
  readonly #fd: number;
  readonly #pageBytes: number;
  readonly #blocks = new Map<number, Buffer>();

  constructor(fd: number, pageBytes: number) {
    this.#fd = fd;
    this.#pageBytes = pageBytes;
  }

  /** Lent until the next call. Pages beyond the end of the file are zeros. */
  lend(number: number): Buffer {
    const from = number * this.#pageBytes;
    const block = Math.floor(from / BLOCK_BYTES);
    const at = from - block * BLOCK_BYTES;
    return (this.#blocks.get(block) ?? this.#load(block)).subarray(at, at + this.#pageBytes);
  }

  /** Pages that follow each other, to keep. */
  read(first: number, count: number): Buffer {
    return this.#fill(Buffer.allocUnsafe(count * this.#pageBytes), first * this.#pageBytes);
  }

  /** Memory is used again: fresh memory costs more than to read into it. */
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

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { openDisk } from './lmdb-disk.ts';
import { toLogKey } from './lmdb-record.ts';
import { openLmdbStorage } from './lmdb.ts';
import { plainStamp } from './storage.conformance.ts';
import { type Storage, StorageError } from './storage.ts';

const PAGE_BYTES = 4_096;
const folder = mkdtempSync(join(tmpdir(), 'damage-'));
afterAll(() => rmSync(folder, { recursive: true }));
let places = 0;

const open = (path: string): Promise<Storage> => openLmdbStorage({ path, stamp: plainStamp });
const keyOf = (at: number): string => `/registry/a/${String(at).padStart(3, '0')}`;

/** Creates a file with deletions, replaced values, overflow pages, history and free pages. */
async function createFile(): Promise<Buffer> {
  const path = join(folder, 'made');
  const storage = await open(path);
  const revisions: number[] = [];
  for (let at = 0; at < 60; at++) {
    const value = Buffer.from(`${keyOf(at)} `.repeat(at % 20 === 0 ? 700 : 20));
    revisions.push((await storage.put(keyOf(at), value, 'absent')).revision);
  }
  for (let at = 0; at < 30; at += 3) await storage.delete(keyOf(at), revisions[at] ?? 0);
  await storage.compact(65);
  for (let at = 31; at < 40; at++) await storage.put(keyOf(at), Buffer.from(keyOf(at)), revisions[at] ?? 0);
  await storage.close();
  return readFileSync(join(path, 'data.mdb'));
}

/** Returns everything that a store with these bytes contains, or the error if the store does not open. */
async function shownBy(bytes: Buffer): Promise<string | StorageError> {
  const path = join(folder, String(places++));
  mkdirSync(path);
  writeFileSync(join(path, 'data.mdb'), bytes);
  try {
    const storage = await open(path);
    const { items } = await storage.list('/');
    const shown = [`${await storage.revision()} ${storage.compacted()}`];
    for (const { key, value } of items) shown.push(`${key} ${value.toString()}`);
    const onChange = (change: object): void => void shown.push(JSON.stringify(change));
    await storage.watch('/', storage.compacted(), { onChange, onEnd: () => {} });
    await storage.close();
    return shown.join('\n');
  } catch (thrown) {
    if (thrown instanceof StorageError) return thrown;
    throw thrown;
  } finally {
    rmSync(path, { recursive: true });
  }
}

describe('a store whose file is damaged', () => {
  let whole: Buffer;
  let shown: string | StorageError;
  let pages: number;
  const random = createSeededRandom(35);
  beforeAll(async () => {
    whole = await createFile();
    pages = whole.length / PAGE_BYTES;
    shown = await shownBy(whole);
    expect(shown).toEqual(expect.any(String));
  });

  /**
   * Expects that the damaged file does not open and the error names a remedy, or that it opens with its
   * contents unchanged. Returns true if it does not open.
   */
  async function check(what: string, damage: (bytes: Buffer) => void): Promise<boolean> {
    const bytes = Buffer.from(whole);
    damage(bytes);
    const found = await shownBy(bytes);
    if (found === shown) return false;
    expect([what, found]).toEqual([what, expect.objectContaining({ code: 'ERR_STORAGE_UNAVAILABLE' })]);
    expect([what, (found as StorageError).message]).toEqual([
      what,
      expect.stringMatching(/^the data directory .*(restore a copy of it|this version reads|MDB_|Invalid)/),
    ]);
    return true;
  }

  it('loses nothing, or does not open, if a page is zeroed', async () => {
    let refused = 0;
    for (let page = 0; page < pages; page++)
      if (await check(`page ${page}`, (bytes) => bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES)))
        refused += 1;
    expect(refused).toBeGreaterThan(pages / 2);
  });

  it('loses nothing, or does not open, if a page is overwritten by another', async () => {
    for (let at = 0; at < 60; at++) {
      const [from, to] = [random.int(pages), random.int(pages)];
      await check(`page ${from} at ${to}`, (bytes) =>
        whole.copy(bytes, to * PAGE_BYTES, from * PAGE_BYTES, (from + 1) * PAGE_BYTES),
      );
    }
  });

  it('loses nothing, or does not open, if a record is zeroed', async () => {
    for (let at = 0; at < 60; at++) {
      const start = whole.lastIndexOf(keyOf(at));
      // A deleted record may already have been overwritten.
      if (start < 0) continue;
      await check(keyOf(at), (bytes) => bytes.fill(0, start, start + keyOf(at).length));
    }
  });

  it('loses nothing, or does not open, if a bit flips in the header or node table of a page', async () => {
    for (let at = 0; at < 200; at++) {
      const place = random.int(pages) * PAGE_BYTES + random.int(64);
      const bit = 1 << random.int(8);
      await check(`bit ${bit} of ${place}`, (bytes) => bytes.writeUInt8((bytes[place] ?? 0) ^ bit, place));
    }
  });

  it('does not open if the transaction number changes in one of the first two pages', async () => {
    for (const page of [0, 1])
      for (let bit = 0; bit < 20; bit++) {
        const place = page * PAGE_BYTES + 152 + (bit >> 3);
        const damage = (bytes: Buffer) => bytes.writeUInt8((bytes[place] ?? 0) ^ (1 << (bit & 7)), place);
        expect([page, bit, await check(`bit ${bit} of page ${page}`, damage)]).toEqual([page, bit, true]);
      }
  });

  it('does not open if a record has moved to another revision', async () => {
    const [last, later] = [toLogKey(79), toLogKey(90)];
    const move = (bytes: Buffer): void => {
      // In a leaf page, the key size precedes the key.
      for (let at = bytes.indexOf(last); at >= 0; at = bytes.indexOf(last, at + 1))
        if (bytes.readUInt16LE(at - 2) === last.length) later.copy(bytes, at);
    };
    expect(await check('the last record', move)).toBe(true);
  });
});

describe('a backup by LMDB', () => {
  it.each([false, true])('opens and accepts writes (compacted: %s)', async (compacted) => {
    const path = join(folder, `copy-${compacted}`);
    mkdirSync(path);
    const disk = await openDisk(join(folder, 'made'));
    await disk.backup(path, compacted);
    await disk.close();
    const original = await open(join(folder, 'made'));
    const wanted = await original.list('/');
    await original.close();
    for (let opening = 0; opening < 3; opening++) {
      const copy = await open(path);
      expect((await copy.list('/registry/a/')).items).toEqual(wanted.items);
      await copy.put(`/registry/b/${opening}`, Buffer.from('more'), 'absent');
      await copy.close();
    }
  });
});

describe('a store in the previous format', () => {
  it('opens and is continued in the current format', async () => {
    const path = join(folder, 'old');
    const disk = await openDisk(path);
    const record = (key: string, value: string): Buffer => {
      const head = Buffer.alloc(18);
      head[0] = 3;
      head.writeUInt32BE(key.length, 14);
      const bytes = Buffer.concat([head, Buffer.from(key + value)]);
      bytes.writeUInt32BE(crc32(bytes.subarray(5)), 1);
      return bytes;
    };
    await disk.put(Buffer.from([0]), toLogKey(1));
    await disk.put(toLogKey(1), record('/a/x', '1|one'));
    await disk.put(toLogKey(2), record('/a/y', '2|two'));
    await disk.close();
    const first = await open(path);
    expect((await first.list('/')).items.map(({ value }) => value.toString())).toEqual(['1|one', '2|two']);
    expect(first.compacted()).toBe(1);
    await first.put('/a/x', Buffer.from('three'), 1);
    await first.compact(3);
    await first.close();
    const second = await open(path);
    expect((await second.list('/')).items.map(({ value }) => value.toString())).toEqual(['3|three', '2|two']);
    await second.close();
  });
});

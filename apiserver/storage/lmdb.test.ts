import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { afterAll, describe, expect, it } from 'vitest';
import { openLmdbStorage } from './lmdb.ts';
import { describeStorage, plainStamp } from './storage.conformance.ts';
import type { Change, Storage, Stored } from './storage.ts';

const made: string[] = [];
const directory = async (parent = tmpdir()): Promise<string> => {
  const path = await mkdtemp(join(parent, 'orch-lmdb-'));
  made.push(path);
  return path;
};
afterAll(() => Promise.all(made.map((path) => rm(path, { recursive: true, force: true }))));

const open = async (path: string) => openLmdbStorage({ path, stamp: plainStamp });
const bytes = (text: string): Buffer => Buffer.from(text);

describeStorage('LMDB storage', async (limits) =>
  openLmdbStorage({ path: await directory(), stamp: plainStamp, ...limits }),
);

describe('an LMDB store on disk', () => {
  it('contains all acknowledged writes after it is reopened, and continues counting revisions', async () => {
    const path = await directory();
    const first = await open(path);
    const long = `/a/${'n'.repeat(5_000)}`;
    await first.put('/a/kept', bytes('one'), 'absent');
    await first.put('/a/é\u{1f600}', bytes('two'), 'absent');
    await first.put(long, bytes('three'), 'absent');
    await first.put('/a/gone', Buffer.alloc(50_000, 'x'), 'absent');
    await first.put('/a/kept', bytes('five'), 1);
    const before = await first.list('/a/');
    await first.close();
    const second = await open(path);
    expect(await second.list('/a/')).toEqual(before);
    await second.delete('/a/gone', 4);
    await second.close();
    const third = await open(path);
    expect(await third.get('/a/gone')).toBeUndefined();
    expect(await third.revision()).toBe(6);
    expect((await third.put('/a/gone', bytes('new'), 'absent')).revision).toBe(7);
    await third.close();
  });

  it('rejects writes if the disk is almost full, deletions last, and accepts writes once space is free', async () => {
    const MIB = 1024 * 1024;
    let free = 17 * MIB;
    const storage = await openLmdbStorage({
      path: await directory(),
      stamp: plainStamp,
      freeBytes: () => free,
    });
    const full = expect.objectContaining({ code: 'ERR_NO_ROOM' });
    const half = Buffer.alloc(MIB / 2);
    const { revision } = await storage.put('/a/one', half, 'absent');
    // The second write includes the space of the first, which is reserved but not yet used.
    const [first, second] = await Promise.allSettled([
      storage.put('/a/two', half, 'absent'),
      storage.put('/a/three', half, 'absent'),
    ]);
    expect([first.status, second]).toEqual(['fulfilled', { status: 'rejected', reason: full }]);
    free = 15 * MIB;
    await expect(storage.put('/a/three', bytes('3'), 'absent')).rejects.toThrow(
      "the store's disk is full: a write must leave 16 MiB free",
    );
    expect((await storage.get('/a/one'))?.revision).toBe(revision);
    await storage.delete('/a/one', revision);
    free = MIB;
    await expect(storage.delete('/a/two', revision + 1)).rejects.toEqual(full);
    free = 20 * MIB;
    await storage.delete('/a/two', revision + 1);
    expect((await storage.put('/a/three', half, 'absent')).revision).toBe(revision + 4);
    await storage.close();
  });

  it('checks the free space once per flush', async () => {
    let looks = 0;
    const storage = await openLmdbStorage({
      path: await directory(),
      stamp: plainStamp,
      freeBytes: () => {
        looks += 1;
        return Infinity;
      },
    });
    const all = async (...names: string[]): Promise<number> => {
      await Promise.all(names.map((name) => storage.put(`/a/${name}`, bytes(name), 'absent')));
      return looks;
    };
    expect([await all('one', 'two', 'three'), await all('four', 'five')]).toEqual([1, 2]);
    await storage.close();
  });

  it('rejects writes once its file was removed, and serves reads', async () => {
    const path = await directory();
    const storage = await open(path);
    await storage.put('/a/one', bytes('1'), 'absent');
    await rm(path, { recursive: true });
    await expect(storage.put('/a/two', bytes('2'), 'absent')).rejects.toMatchObject({
      code: 'ERR_STORAGE_UNAVAILABLE',
    });
    expect((await storage.get('/a/one'))?.revision).toBe(1);
    await storage.close();
  });

  it('reuses the space of deleted objects on a full disk', async () => {
    let free = Infinity;
    const storage = await openLmdbStorage({
      path: await directory(),
      stamp: plainStamp,
      freeBytes: () => free,
    });
    for (let i = 0; i < 40; i += 1) await storage.put(`/a/${i}`, Buffer.alloc(50_000), 'absent');
    free = 8 * 1024 * 1024;
    const more = () => storage.put('/a/more', Buffer.alloc(50_000), 'absent');
    await expect(more()).rejects.toThrow('must leave 16 MiB free');
    for (let i = 0; i < 40; i += 1) await storage.delete(`/a/${i}`, i + 1);
    await storage.compact(80);
    expect((await more()).revision).toBe(81);
    await storage.close();
  });

  it('does not grow when it is reopened, so that a full disk can be opened', async () => {
    const path = await directory();
    const sizes: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      await (await open(path)).close();
      const files = await readdir(path, { recursive: true, withFileTypes: true });
      const each = files
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => stat(join(parentPath, name)));
      sizes.push((await Promise.all(each)).reduce((sum, { size }) => sum + size, 0));
    }
    expect(sizes).toEqual(sizes.map(() => sizes[0]));
  });

  describe('a damaged file', () => {
    const damages: Readonly<Record<string, (file: Buffer) => Buffer>> = {
      truncated: (file) => file.subarray(0, 3 * 4096),
      'truncated in its first page': (file) => file.subarray(0, 100),
      'truncated to 0 bytes': () => Buffer.alloc(0),
      'another file': (file) => Buffer.alloc(file.length, 'another file '),
      'a changed value': (file) => {
        const copy = Buffer.from(file);
        const at = copy.lastIndexOf('precious');
        copy.write('spurious', at);
        return copy;
      },
    };
    it.each(Object.entries(damages))(
      'does not open and causes an error of one sentence: %s',
      async (_what, damage) => {
        const path = await directory();
        const first = await open(path);
        for (let at = 0; at < 40; at += 1)
          await first.put(`/a/${at}`, Buffer.alloc(2_000, 'precious '), 'absent');
        await first.close();
        const file = join(path, 'data.mdb');
        await writeFile(file, damage(await readFile(file)));
        await expect(open(path)).rejects.toMatchObject({ code: 'ERR_STORAGE_UNAVAILABLE' });
        await expect(open(path)).rejects.toThrow(/^the data directory [^\n]*(damaged|CORRUPTED)[^\n]*$/);
      },
    );
  });

  it('reads values of any size', async () => {
    const path = await directory();
    const first = await open(path);
    const sizes = [0, 1, 4_000, 16_384, 16_385, 70_000, 20, 3_000_000, 5_000];
    for (const [at, size] of sizes.entries())
      await first.put(`/a/${at}`, Buffer.alloc(size, `${at}-`), 'absent');
    const before = (await first.list('/a/')).items;
    await first.close();
    const second = await open(path);
    const after = (await second.list('/a/')).items;
    const isSame = ({ key, value }: Stored, at: number): boolean =>
      key === before[at]?.key && value.equals(before[at].value);
    expect(after.map(isSame)).toEqual(sizes.map(() => true));
    await second.close();
  });

  const changesAfter = async (storage: Storage, revision: number): Promise<readonly Change[]> => {
    const changes: Change[] = [];
    const observer = { onChange: (change: Change) => void changes.push(change), onEnd: () => {} };
    (await storage.watch('/', revision, observer)).cancel();
    return changes;
  };

  it('returns the same history and past states after reopening', async () => {
    const path = await directory();
    const first = await open(path);
    await first.put('/a/x', bytes('one'), 'absent');
    await first.put('/b/y', bytes('two'), 'absent', { expiresAtMs: 1_000 });
    await first.put('/a/x', bytes('three'), 1);
    await first.delete('/a/x', 3);
    await first.put('/a/x', bytes('five'), 'absent');
    await first.compact(1);
    const changes = await changesAfter(first, 1);
    const states = await Promise.all([1, 2, 3, 4, 5].map((revision) => first.list('/', { revision })));
    await first.close();
    const second = await open(path);
    expect(second.compacted()).toBe(1);
    expect(await changesAfter(second, 1)).toEqual(changes);
    expect(changes.map(({ type, revision }) => `${revision} ${type}`)).toEqual([
      '2 put',
      '3 put',
      '4 delete',
      '5 put',
    ]);
    for (const state of states) expect(await second.list('/', { revision: state.revision })).toEqual(state);
    expect((await second.get('/b/y'))?.expiresAtMs).toBe(1_000);
    await expect(changesAfter(second, 0)).rejects.toMatchObject({ code: 'ERR_COMPACTED' });
    await second.close();
  });

  it('stores only current values and history on disk, and continues counting after a complete compaction', async () => {
    const path = await directory();
    const first = await openLmdbStorage({ path, stamp: plainStamp, historyLimit: 4 });
    let revision = (await first.put('/a/x', bytes('v'), 'absent')).revision;
    for (let i = 0; i < 1_100; i++) revision = (await first.put('/a/x', bytes('v'), revision)).revision;
    revision = (await first.delete('/a/x', revision)).revision;
    await first.compact(revision);
    await first.close();
    const { open: openRaw } = await import('lmdb');
    const raw = openRaw<Buffer, Buffer>({ path, noSubdir: false, encoding: 'binary', keyEncoding: 'binary' });
    expect([...raw.getKeys()]).toHaveLength(1);
    await raw.close();
    const second = await open(path);
    expect([await second.revision(), second.compacted()]).toEqual([1_102, 1_102]);
    expect((await second.put('/a/x', bytes('v'), 'absent')).revision).toBe(1_103);
    await second.close();
  });

  it('returns a write only once it is durable', async () => {
    const storage = await open(await directory());
    const seen: number[] = [];
    await storage.watch('/a/', 0, { onChange: ({ revision }) => void seen.push(revision), onEnd: () => {} });
    const write = storage.put('/a/x', bytes('one'), 'absent');
    expect(await storage.get('/a/x')).toBeUndefined();
    expect([await storage.revision(), seen]).toEqual([0, []]);
    await write;
    expect([await storage.revision(), seen]).toEqual([1, [1]]);
    await storage.close();
  });

  it('waits for pending writes while it is closed', async () => {
    const path = await directory();
    const storage = await open(path);
    const write = storage.put('/a/x', bytes('one'), 'absent');
    await storage.close();
    expect((await write).revision).toBe(1);
    const again = await open(path);
    expect((await again.get('/a/x'))?.revision).toBe(1);
    await again.close();
  });

  it('is accessible to its owner only', async () => {
    const path = await directory();
    const storage = await open(join(path, 'made', 'below'));
    const modeOf = async (file: string) => (await stat(join(path, 'made', 'below', file))).mode & 0o777;
    expect(await modeOf('.')).toBe(0o700);
    for (const file of await readdir(join(path, 'made', 'below')))
      expect(await modeOf(file)).toBe(file === 'owner' ? 0o700 : 0o600);
    await storage.close();
  });

  it('rejects a directory that this process has already opened', async () => {
    const path = await directory();
    const storage = await open(path);
    await expect(open(path)).rejects.toMatchObject({
      code: 'ERR_STORAGE_LOCKED',
      message: expect.stringContaining(`is in use by process ${process.pid}`),
    });
    await storage.put('/a/x', bytes('one'), 'absent');
    await storage.close();
  });

  it('rejects an unusable directory', async () => {
    await expect(open('/dev/null/none')).rejects.toMatchObject({ code: 'ERR_STORAGE_UNAVAILABLE' });
  });
});

/**
 * Program that writes keys as fast as it can and prints each acknowledged write: `key revision` or `key
 * deleted`.
 */
const WRITER = `
  import { writeSync } from 'node:fs';
  const { openLmdbStorage } = await import(process.argv[1]);
  const stamp = (value, revision) => Buffer.from(revision + '|' + value.toString().replace(/^\\d+\\|/, ''));
  const storage = await openLmdbStorage({ path: process.argv[2], stamp });
  writeSync(1, 'open\\n');
  const value = Buffer.alloc(700, 'v');
  await Promise.all(Array.from({ length: 2000 }, async (_, i) => {
    const key = '/a/' + i;
    const { revision } = await storage.put(key, value, 'absent');
    writeSync(1, key + ' ' + revision + '\\n');
    if (i % 3 !== 0) return;
    await storage.delete(key, revision);
    writeSync(1, key + ' deleted\\n');
  }));
  writeSync(1, 'done\\n');
  setInterval(() => {}, 1000);
`;

describe('an LMDB store whose process is killed', () => {
  /**
   * Runs the writer in a process and kills it once `enough` returns true for a printed line. Returns the
   * printed lines.
   */
  const writeAndKill = async (
    module: string,
    path: string,
    enough: (line: string, count: number) => boolean,
  ) => {
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', WRITER, pathToFileURL(module).href, path],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      if (enough(line, lines.length)) child.kill('SIGKILL');
    }
    return lines;
  };
  const compile = async (): Promise<string> => {
    const outDir = await directory(join(process.cwd(), 'node_modules'));
    const input = join(import.meta.dirname, 'lmdb.ts');
    await build({
      configFile: false,
      logLevel: 'silent',
      build: { ssr: input, outDir, minify: false, rollupOptions: { output: { entryFileNames: 'lmdb.mjs' } } },
    });
    return join(outDir, 'lmdb.mjs');
  };

  it('contains every acknowledged write and no partial write, and leaves no lock behind', async () => {
    const module = await compile();
    for (const after of [1, 200, 2_000]) {
      const path = await directory();
      const lines = await writeAndKill(module, path, (_line, count) => count > after);
      const storage = await open(path);
      const { items, revision } = await storage.list('/a/');
      const found = new Map(items.map((item) => [item.key, item]));
      for (const item of items) expect(item.value.toString()).toBe(`${item.revision}|${'v'.repeat(700)}`);
      const acknowledged = lines.filter((line) => line.startsWith('/a/')).map((line) => line.split(' '));
      const deleted = new Set(acknowledged.filter(([, what]) => what === 'deleted').map(([key]) => key));
      expect(acknowledged.length).toBeGreaterThanOrEqual(after);
      for (const [key = '', what = ''] of acknowledged) {
        if (what !== 'deleted') expect(revision).toBeGreaterThanOrEqual(Number(what));
        if (deleted.has(key)) expect(found.has(key)).toBe(false);
        // A deletion may have become durable before it was acknowledged.
        else if (Number(key.slice(3)) % 3 !== 0) expect(found.get(key)?.revision).toBe(Number(what));
      }
      await storage.close();
    }
  });

  it('rejects another process while its owner is alive, without damage', async () => {
    const module = await compile();
    const path = await directory();
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', WRITER, pathToFileURL(module).href, path],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== 'open' && line !== 'done') continue;
      await expect(open(path)).rejects.toMatchObject({
        code: 'ERR_STORAGE_LOCKED',
        message: expect.stringContaining(`is in use by process ${child.pid}`),
      });
      if (line === 'done') child.kill('SIGKILL');
    }
    const storage = await open(path);
    expect((await storage.list('/a/')).items).toHaveLength(1_333);
    await storage.close();
  });
});

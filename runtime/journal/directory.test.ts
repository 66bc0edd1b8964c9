import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { type LogFields, silentLogger } from '../../base/log/index.ts';
import { openJournalDirectory } from './directory.ts';
import type { JournalEntry } from './entry.ts';
import { type ReconcileWriter, type WrittenReconcile, createReconcileWriter } from './history.fixture.ts';
import { History } from './history.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Opens a directory with a log that collects its warnings. */
function opened(path: string, maxBytes = 8 * 1_048_576) {
  const clock = createSimulatedClock(1_000_000);
  const history = new History();
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (_: LogFields, message: string) => void warnings.push(message) };
  const directory = openJournalDirectory({ path, history, clock, log, maxBytes });
  return { clock, history, warnings, directory };
}

const add = (history: History, writer: ReconcileWriter, reconcile: WrittenReconcile): void =>
  writer.write(reconcile).forEach((entry) => history.add(entry));

const finals = (entries: readonly JournalEntry[]) =>
  entries.filter(({ kind }) => kind === 'reconcile.finished');

const sizeOf = (path: string): number =>
  readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);

describe('openJournalDirectory', () => {
  it('restores the reconciles of a former process, under identifiers that stay unique', async () => {
    const path = folder();
    const first = opened(path);
    const writer = createReconcileWriter(1_000_000);
    const cause = { type: 'ADDED', resource: 'jobs.batch', object: 'a', resourceVersion: '7' } as const;
    add(first.history, writer, { key: 'a', cause, outcome: 'failed', error: 'no quota' });
    add(first.history, writer, { key: 'a', creates: 'a/job' });
    const [written, lastSeq] = [first.history.ofKey('a'), first.history.ofKey('a').at(-1)?.seq];
    await first.directory.stop();
    const second = opened(path);
    expect(second.directory.lastSeq).toBe(lastSeq);
    expect(second.warnings).toEqual([]);
    const restored = second.history.ofKey('a');
    const others = (entries: readonly JournalEntry[]) =>
      entries.map((entry) => ({ ...entry, reconcileId: undefined }));
    expect(others(restored)).toEqual(others(written));
    const ids = (entries: readonly JournalEntry[]) =>
      new Set(entries.flatMap((each) => each.reconcileId ?? []));
    expect(ids(restored)).toHaveLength(2);
    for (const id of ids(restored)) expect(ids(written)).not.toContain(id);
  });

  it('writes once a second, and the first and last of equal reconciles with their number', async () => {
    const path = folder();
    const { clock, history, directory } = opened(path);
    await directory.start();
    const writer = createReconcileWriter(1_000_000);
    for (let n = 0; n < 500; n++)
      add(history, writer, { key: 'a', outcome: 'failed', error: `no quota ${n}` });
    const [name = ''] = readdirSync(path);
    expect(readFileSync(join(path, name), 'utf8').split('\n')).toHaveLength(2);
    await clock.advance(1_000);
    await expect.poll(() => readFileSync(join(path, name), 'utf8')).toContain('no quota 0');
    await directory.stop();
    const restored = finals(opened(path).history.ofKey('a'));
    expect(restored.map(({ error, repeats = 0 }) => [error, repeats])).toEqual([
      ['no quota 0', 0],
      ['no quota 499', 498],
    ]);
  });

  it('ignores a torn last line, and skips damaged lines with a message', async () => {
    const path = folder();
    const first = opened(path);
    const writer = createReconcileWriter(1_000_000);
    add(first.history, writer, { key: 'a' });
    await first.directory.stop();
    const [name = ''] = readdirSync(path);
    appendFileSync(join(path, name), '{"seq":12,"atMs":3,"ki');
    const second = opened(path);
    expect(second.warnings).toEqual([]);
    expect(second.history.ofKey('a')).toHaveLength(8);
    await second.directory.stop();
    const text = readFileSync(join(path, name), 'utf8').split('\n');
    writeFileSync(join(path, name), [text[0], 'garbage', ...text.slice(1)].join('\n'));
    writeFileSync(join(path, 'journal-00000099.ndjson'), 'no journal\n');
    const third = opened(path);
    expect(third.warnings).toEqual([
      expect.stringContaining('1 of 9 lines'),
      expect.stringContaining('line 1 of the journal is not valid JSON'),
    ]);
    expect(third.history.ofKey('a')).toHaveLength(8);
  });

  it('stays within its bound, and keeps a quiet key although another fills its fraction', async () => {
    const path = folder();
    const maxBytes = 1_048_576;
    const { clock, history, directory } = opened(path, maxBytes);
    await directory.start();
    const writer = createReconcileWriter(1_000_000);
    add(history, writer, { key: 'quiet', creates: 'quiet/job' });
    for (let second = 0; second < 200; second++) {
      for (let n = 0; n < 20; n++)
        add(history, writer, { key: 'noisy', creates: `noisy/job-${second}-${n}` });
      await clock.advance(1_000);
      await Promise.resolve();
    }
    await directory.stop();
    expect(sizeOf(path)).toBeLessThanOrEqual(maxBytes);
    const restored = opened(path, maxBytes).history;
    expect(restored.ofKey('quiet')).toHaveLength(9);
    expect(finals(restored.ofKey('noisy')).at(-1)?.seq).toBe(finals(history.ofKey('noisy')).at(-1)?.seq);
  });

  it('deletes the oldest segments at its bound', async () => {
    const path = folder();
    const maxBytes = 256 * 1_024;
    for (let round = 0; round < 30; round++) {
      const { history, directory } = opened(path, maxBytes);
      const writer = createReconcileWriter(1_000_000 + round);
      for (let key = 0; key < 4; key++) add(history, writer, { key: `${round}-${key}` });
      await directory.stop();
    }
    expect(sizeOf(path)).toBeLessThanOrEqual(maxBytes);
    const { history } = opened(path, maxBytes);
    expect(history.ofKey('29-3')).toHaveLength(8);
  });

  it.skipIf(process.getuid?.() === 0)('fails at once if the directory cannot be written', () => {
    const path = folder();
    chmodSync(path, 0o500);
    expect(() => opened(join(path, 'below'))).toThrow(/failed to use ".*below" as the journal directory/);
  });

  it('fails at once if the path is a file', () => {
    const path = join(folder(), 'file');
    writeFileSync(path, '');
    expect(() => opened(path)).toThrow(
      expect.objectContaining({ code: 'ERR_JOURNAL_DIRECTORY', message: expect.stringContaining(path) }),
    );
  });
});

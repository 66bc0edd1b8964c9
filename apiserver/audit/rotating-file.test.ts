import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { type RotatingFileOptions, createRotatingFile } from './rotating-file.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'audit-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const DAY_MS = 86_400_000;

function open(options: Partial<RotatingFileOptions> = {}) {
  const clock = createSimulatedClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6));
  const errors: unknown[] = [];
  const file = createRotatingFile({
    path: join(directory, 'logs', 'audit.log'),
    maxBytes: 10,
    maxBackups: 0,
    maxAgeDays: 0,
    compress: false,
    clock,
    onError: (thrown) => errors.push(thrown),
    ...options,
  });
  const write = (text: string) => file.write(Buffer.from(text));
  const names = () => readdirSync(join(directory, 'logs')).sort();
  const read = (name: string) => readFileSync(join(directory, 'logs', name), 'utf8');
  return { file, clock, errors, write, names, read };
}

describe('audit log file', () => {
  it('is created with its directory, readable by its owner only, and appended to by the next run', async () => {
    const first = open({ maxBytes: 100 });
    first.write('one\n');
    await first.file.close();
    const second = open({ maxBytes: 100 });
    second.write('two\n');
    expect(second.read('audit.log')).toBe('one\ntwo\n');
    expect(statSync(join(directory, 'logs', 'audit.log')).mode & 0o777).toBe(0o600);
    await second.file.close();
  });

  it('is rotated to a timestamped name before it exceeds the maximum size, never within a line', async () => {
    const { file, clock, write, names, read } = open();
    write('12345\n');
    write('678\n');
    await clock.advance(1_000);
    write('9\n');
    expect(names()).toEqual(['audit-2026-01-02T03-04-06.006.log', 'audit.log']);
    expect(read('audit-2026-01-02T03-04-06.006.log')).toBe('12345\n678\n');
    expect(read('audit.log')).toBe('9\n');
    await file.close();
  });

  it('is renamed to distinct names even within one millisecond', async () => {
    const { file, write, names } = open({ maxBytes: 2 });
    for (const line of ['1\n', '2\n', '3\n', '4\n']) write(line);
    expect(names()).toEqual([
      'audit-2026-01-02T03-04-05.006.log',
      'audit-2026-01-02T03-04-05.007.log',
      'audit-2026-01-02T03-04-05.008.log',
      'audit.log',
    ]);
    await file.close();
  });

  it('rejects a line larger than the maximum file size', () => {
    expect(() => open().write('12345678901\n')).toThrow('write length 12 exceeds maximum file size 10');
  });

  it('retains the newest backups up to the limit', async () => {
    const { file, write, names } = open({ maxBytes: 2, maxBackups: 2 });
    for (const line of ['1\n', '2\n', '3\n', '4\n', '5\n']) write(line);
    await file.close();
    expect(names()).toEqual([
      'audit-2026-01-02T03-04-05.008.log',
      'audit-2026-01-02T03-04-05.009.log',
      'audit.log',
    ]);
  });

  it('loses only backups over the age limit', async () => {
    const { file, clock, write, names } = open({ maxBytes: 2, maxAgeDays: 2 });
    write('1\n');
    write('2\n');
    writeFileSync(join(directory, 'logs', 'audit-notes.log'), '');
    writeFileSync(join(directory, 'logs', 'other-2020-01-02T03-04-05.006.log'), '');
    await clock.advance(3 * DAY_MS);
    write('3\n');
    await file.close();
    expect(names()).toEqual([
      'audit-2026-01-05T03-04-05.006.log',
      'audit-notes.log',
      'audit.log',
      'other-2020-01-02T03-04-05.006.log',
    ]);
  });

  it('has compressed backups, including those of an earlier run, once it is closed', async () => {
    const first = open({ maxBytes: 2 });
    first.write('1\n');
    first.write('2\n');
    await first.file.close();
    const { file, errors, names, write } = open({ maxBytes: 2, compress: true });
    write('3\n');
    await file.close();
    expect(names()).toEqual([
      'audit-2026-01-02T03-04-05.006.log.gz',
      'audit-2026-01-02T03-04-05.007.log.gz',
      'audit.log',
    ]);
    const packed = readFileSync(join(directory, 'logs', 'audit-2026-01-02T03-04-05.006.log.gz'));
    expect(gunzipSync(packed).toString()).toBe('1\n');
    expect(errors).toEqual([]);
  });
});

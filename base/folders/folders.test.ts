import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFolder } from './folders.ts';

const scratch = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'folders-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

describe('createFolder', () => {
  it('creates the parents with the mode, and accepts an existing folder', () => {
    const path = join(scratch(), 'a', 'b');
    createFolder(path, 0o700);
    createFolder(path, 0o755);
    expect([path, join(path, '..')].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it.each(['file', join('file', 'below')])('throws if a file is in the way of %s', (below) => {
    const path = scratch();
    writeFileSync(join(path, 'file'), '');
    expect(() => createFolder(join(path, below))).toThrow(/EEXIST|ENOTDIR/);
  });

  it.skipIf(!existsSync('/proc/self'))('throws if the file system denies a folder with ENOENT', () => {
    expect(() => createFolder('/proc/nowhere/a')).toThrow('ENOENT');
  });
});

import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writePrivate } from './files.ts';

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'files-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
};

describe('writePrivate', () => {
  it('renames the complete file to its path and creates the directory', async () => {
    const path = join(await folder(), 'pki', 'ca.key');
    await writePrivate(path, 'first');
    await writePrivate(path, 'second');
    expect(await readFile(path, 'utf8')).toBe('second');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(path, '..'))).toEqual(['ca.key']);
  });

  it('does not write a file that already has the same content', async () => {
    const path = join(await folder(), 'admin.conf');
    await writePrivate(path, 'same');
    const before = await stat(path);
    await writePrivate(path, 'same');
    expect((await stat(path)).ino).toBe(before.ino);
  });

  it('names the path of a file that cannot be written', async () => {
    const path = await folder();
    await mkdir(join(path, 'admin.conf.new'));
    await expect(writePrivate(join(path, 'admin.conf'), 'text')).rejects.toMatchObject({
      code: 'ERR_FILE',
      message: expect.stringContaining(`failed to write ${join(path, 'admin.conf')}: EISDIR`),
    });
  });
});

import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its parents with `mode`. Does nothing if the folder exists. Throws the error of the
 * file system. `mkdir` of Node.js 20 with `recursive` repeats its calls forever if the file system denies a
 * folder with ENOENT although its parent exists, as `/proc` does.
 */
export function createFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) missing.push(at);
  for (const each of missing.reverse()) create(each, mode);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function create(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    // Another process may create the same folder.
    if (!isFolder(path)) throw thrown;
  }
}

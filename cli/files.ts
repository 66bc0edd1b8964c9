import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CodedError, messageOf } from '../base/errors/coded.ts';

/** The file's text, or undefined when there is none. Throws one sentence that names it for anything else. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new CodedError('ERR_FILE', `failed to read ${path}: ${messageOf(cause)}`, { cause });
  }
}

export async function readRequired(path: string): Promise<string> {
  const text = await readIfThere(path);
  if (text === undefined) throw new CodedError('ERR_FILE', `${path} does not exist`);
  return text;
}

/** What a required file holds. Throws one sentence that names the file and what it should hold, never what it does. */
export async function readParsed<T>(path: string, expected: string, parse: (text: string) => T): Promise<T> {
  const text = await readRequired(path);
  try {
    return parse(text);
  } catch (cause) {
    throw new CodedError('ERR_FILE', `${path} does not hold ${expected}: ${messageOf(cause)}`, { cause });
  }
}

/** Modes of files, and of the folders that are made for them: what the umask leaves to everybody, and what is its owner's alone. */
const SHARED = { file: 0o666, folder: 0o777 };
const PRIVATE = { file: 0o600, folder: 0o700 };

/**
 * For its owner alone; left alone where it says the same already, so that a program can be started anew on a full disk.
 * Throws one sentence that names the file.
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) !== text) await writeWhole(path, text, PRIVATE);
}

/**
 * Written beside and moved into place, so that a process that dies leaves no half of it, in a folder that is made for it.
 * Throws one sentence that names the file.
 */
export async function writeWhole(path: string, text: string, mode = SHARED): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: mode.folder });
    const temporary = `${path}.new`;
    await writeFile(temporary, text, { mode: mode.file });
    // One that a process left which died keeps the mode it had.
    if (mode === PRIVATE) await chmod(temporary, mode.file);
    await rename(temporary, path);
  } catch (cause) {
    throw new CodedError('ERR_FILE', `failed to write ${path}: ${messageOf(cause)}`, { cause });
  }
}

/** Throws one sentence that names the folder. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    throw new CodedError('ERR_FILE', `failed to make the folder ${path}: ${messageOf(cause)}`, { cause });
  }
}

import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import { YamlFileError } from '../../base/yaml/index.ts';

/**
 * Returns the content of a file, or undefined if the file does not exist. Throws a `CodedError` with the path
 * if the file cannot be read.
 */
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

/**
 * Parses a required file. Throws a `CodedError` with the path and the expected content. The error never
 * quotes the actual content.
 */
export async function readParsed<T>(path: string, expected: string, parse: (text: string) => T): Promise<T> {
  const text = await readRequired(path);
  try {
    return parse(text);
  } catch (cause) {
    if (cause instanceof YamlFileError)
      throw new CodedError('ERR_FILE', `${path} ${cause.message}`, { cause });
    throw new CodedError('ERR_FILE', `${path} does not hold ${expected}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Modes of files and of the directories created for them: as permitted by the umask, or for the owner only.
 */
const SHARED = { file: 0o666, folder: 0o777 };
const PRIVATE = { file: 0o600, folder: 0o700 };

/**
 * Writes a file that only its owner can read. A file with the same content is not written, so that a program
 * can restart on a full disk. Throws a `CodedError` with the path.
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) !== text) await writeWhole(path, text, PRIVATE);
}

/**
 * Writes a file atomically, by renaming a temporary file, so that a process that dies leaves no partial file.
 * Creates the directory. Throws a `CodedError` with the path.
 */
export async function writeWhole(path: string, text: string | Uint8Array, mode = SHARED): Promise<void> {
  try {
    createFolder(dirname(path), mode.folder);
    const temporary = `${path}.new`;
    await writeFile(temporary, text, { mode: mode.file });
    // The mode is set again, because a temporary file left by a dead process retains its old mode.
    if (mode === PRIVATE) await chmod(temporary, mode.file);
    await rename(temporary, path);
  } catch (cause) {
    throw new CodedError('ERR_FILE', `failed to write ${path}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Writes a file that only its owner can read. Throws a `CodedError` with the path, also if the file exists
 * and `replace` is false.
 */
export async function createPrivate(path: string, bytes: Uint8Array, replace: boolean): Promise<void> {
  if (replace) return writeWhole(path, bytes, PRIVATE);
  try {
    await writeFile(path, bytes, { mode: PRIVATE.file, flag: 'wx' });
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const reason = exists ? 'it exists; --force replaces it' : messageOf(cause);
    throw new CodedError('ERR_FILE', `failed to write ${path}: ${reason}`, { cause });
  }
}

/** Creates a directory and its parents. Throws a `CodedError` with the path. */
export function makeFolder(path: string): void {
  try {
    createFolder(path);
  } catch (cause) {
    throw new CodedError('ERR_FILE', `failed to create the folder ${path}: ${messageOf(cause)}`, { cause });
  }
}

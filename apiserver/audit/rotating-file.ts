import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../base/clock/index.ts';
import { createFolder } from '../../base/folders/index.ts';
import type { LineSink } from './log-backend.ts';

/** Path and limits of a rotating log file. */
export interface RotatingFileOptions {
  readonly path: string;
  /** Maximum size of a file in bytes; the file is rotated before a line would exceed this size. */
  readonly maxBytes: number;
  /** Maximum number of backups, not counting the current file; 0 retains all backups. */
  readonly maxBackups: number;
  /** Maximum age of a backup in days, by the time in its name; 0 retains backups forever. */
  readonly maxAgeDays: number;
  /** True to compress backups with gzip. */
  readonly compress: boolean;
  readonly clock: Clock;
  /** Receives errors of compressing or deleting backups. Such an error loses no event. */
  readonly onError: (thrown: unknown) => void;
}

const DAY_MS = 86_400_000;
const OWNER_ONLY = 0o600;
const STAMP = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;

/**
 * Creates a sink that appends to a file. Before the file would exceed `maxBytes`, the sink renames it to
 * `name-2006-01-02T15-04-05.000.ext` (UTC) and starts a new file. Log collectors know this name format from
 * lumberjack (https://github.com/natefinch/lumberjack).
 */
export function createRotatingFile(options: RotatingFileOptions): LineSink {
  return new RotatingFile(options);
}

interface Backup {
  readonly path: string;
  readonly stamp: string;
  readonly compressed: boolean;
}

class RotatingFile implements LineSink {
  readonly #options: RotatingFileOptions;
  #file: number | undefined;
  #size = 0;
  #cleaning: Promise<void> = Promise.resolve();

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  write(line: Buffer): void {
    const { maxBytes } = this.#options;
    if (line.length > maxBytes)
      throw new Error(`write length ${line.length} exceeds maximum file size ${maxBytes}`);
    let file = this.#file ?? this.#open();
    if (this.#size + line.length > maxBytes) file = this.#rotate(file);
    for (let written = 0; written < line.length;) {
      const length = writeSync(file, line, written);
      written += length;
      this.#size += length;
    }
  }

  async close(): Promise<void> {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    await this.#cleaning;
  }

  #open(): number {
    const { path } = this.#options;
    createFolder(dirname(path), 0o700);
    const file = openSync(path, 'a', OWNER_ONLY);
    this.#file = file;
    this.#size = fstatSync(file).size;
    // An earlier run may have exited before its backups were cleaned up.
    this.#clean();
    return file;
  }

  #rotate(file: number): number {
    closeSync(file);
    this.#file = undefined;
    renameSync(this.#options.path, this.#backupPath());
    return this.#open();
  }

  /**
   * Returns an unused backup path, even if the file is rotated twice in one millisecond or the clock is set
   * back.
   */
  #backupPath(): string {
    const { path, clock } = this.#options;
    const { dir, name, ext } = parse(path);
    for (let ms = clock.now(); ; ms++) {
      const stamp = new Date(ms).toISOString().slice(0, -1).replaceAll(':', '-');
      const backup = join(dir, `${name}-${stamp}${ext}`);
      if (!existsSync(backup) && !existsSync(`${backup}.gz`)) return backup;
    }
  }

  /** Deletes and compresses backups in the background; cleanups never overlap. */
  #clean(): void {
    this.#cleaning = this.#cleaning.then(() => this.#cleanOnce()).catch(this.#options.onError);
  }

  async #cleanOnce(): Promise<void> {
    const { maxBackups, maxAgeDays, compress, clock } = this.#options;
    if (maxBackups === 0 && maxAgeDays === 0 && !compress) return;
    const backups = this.#backups();
    const stamps = [...new Set(backups.map(({ stamp }) => stamp))];
    const kept = new Set(maxBackups === 0 ? stamps : stamps.slice(0, maxBackups));
    const oldestMs = maxAgeDays === 0 ? -Infinity : clock.now() - maxAgeDays * DAY_MS;
    for (const { path, stamp, compressed } of backups)
      if (!kept.has(stamp) || stampMs(stamp) < oldestMs) await rm(path, { force: true });
      else if (compress && !compressed) await compressFile(path);
  }

  /** Lists the backups, newest first. */
  #backups(): readonly Backup[] {
    const { dir, name, ext } = parse(this.#options.path);
    const directory = dir === '' ? '.' : dir;
    return readdirSync(directory)
      .flatMap((file): Backup[] => {
        const compressed = file.endsWith(`${ext}.gz`);
        const plain = compressed ? file.slice(0, -'.gz'.length) : file;
        if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext)) return [];
        const stamp = plain.slice(name.length + 1, plain.length - ext.length);
        return STAMP.test(stamp) ? [{ path: join(directory, file), stamp, compressed }] : [];
      })
      .sort((a, b) => (a.stamp < b.stamp ? 1 : -1));
  }
}

/** Parses a backup's timestamp, such as `2006-01-02T15-04-05.000`, to milliseconds since the epoch. */
const stampMs = (stamp: string): number =>
  Date.parse(`${stamp.slice(0, 13)}:${stamp.slice(14, 16)}:${stamp.slice(17)}Z`);

/**
 * Compresses a backup to a temporary file that then replaces the backup, so that a crash never loses data.
 */
async function compressFile(path: string): Promise<void> {
  const unfinished = `${path}.gz.new`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: OWNER_ONLY }));
  await rename(unfinished, `${path}.gz`);
  await rm(path, { force: true });
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../flags/flags.ts';

/**
 * Directories in which packages install libfaketime. Their subdirectories for processor architectures are
 * searched too.
 */
const FOLDERS = ['/usr/lib', '/usr/lib64', '/usr/local/lib', '/opt/homebrew/lib'];
const FILES = ['faketime/libfaketime.so.1', 'libfaketime.so.1'];

/**
 * Returns the environment of the command, with a clock that is off by `--clock-offset`. Throws `UsageError`
 * if this needs libfaketime and libfaketime is not installed.
 */
export function skewedEnvironment(
  flags: { readonly 'clock-offset': number; readonly libfaketime: string },
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const offsetMs = flags['clock-offset'];
  if (offsetMs === 0) return environment;
  const library = flags.libfaketime === '' ? findLibrary() : flags.libfaketime;
  if (library === undefined || !existsSync(library))
    throw new UsageError(
      `--clock-offset needs libfaketime, which ${library === undefined ? 'is not installed' : `${library} is not`}: install it, for example by apt-get install libfaketime, or name it by --libfaketime`,
    );
  const seconds = offsetMs / 1_000;
  return {
    ...environment,
    LD_PRELOAD: [library, environment['LD_PRELOAD']].filter(Boolean).join(':'),
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
    // Timeouts of the command keep their length.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

function findLibrary(): string | undefined {
  const folders = FOLDERS.filter(existsSync).flatMap((folder) => [
    folder,
    ...readdirSync(folder)
      .filter((name) => name.includes('-linux-'))
      .map((name) => join(folder, name)),
  ]);
  return folders.flatMap((folder) => FILES.map((file) => join(folder, file))).find(existsSync);
}

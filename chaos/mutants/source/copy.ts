import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { CodedError, messageOf } from '../../../base/errors/index.ts';
import type { CataloguedMutant } from './catalogue.ts';
import { type NumberedChange, instrument } from './instrument.ts';
import type { SourceMutant } from './source-mutant.ts';
import type { Sources } from './sources.ts';

/** Compiled copy of a checkout in which every mutant is behind a switch. */
export interface InstrumentedCopy extends Disposable {
  readonly folder: string;
  /** Returns the path of a compiled module of the copy. */
  compiled(name: string): string;
}

/** Directories that the copy omits, because neither the code nor its unit tests need them. */
const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git', 'docs', 'bench', 'examples']);
const SWITCH_MODULE = 'chaos/mutants/source/switch.ts';

/** Assigns numbers to the mutants, starting with 1. A mutant's number is that of its switch. */
export const numbered = (
  catalogued: readonly CataloguedMutant[],
): readonly { readonly mutant: SourceMutant; readonly change: NumberedChange }[] =>
  catalogued.map(({ mutant, change }, i) => ({
    mutant: { id: i + 1, ...mutant },
    change: { id: i + 1, ...change },
  }));

/** Creates a copy with a switch for each mutant and compiles it once. `dispose` deletes the copy. */
export async function createInstrumentedCopy(
  root: string,
  sources: Sources,
  mutants: ReturnType<typeof numbered>,
): Promise<InstrumentedCopy> {
  const folder = mkdtempSync(join(tmpdir(), 'source-mutants-'));
  const copy: InstrumentedCopy = {
    folder,
    compiled: (name) => join(folder, 'dist', name.replace(/\.ts$/, '.js')),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
  try {
    for (const entry of readdirSync(root))
      if (!LEFT_OUT.has(entry)) cpSync(join(root, entry), join(folder, entry), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [file, changes] of byFile(mutants)) writeInstrumented(folder, file, changes, sources);
    await compile(root, folder);
    return copy;
  } catch (thrown) {
    copy[Symbol.dispose]();
    throw thrown;
  }
}

function byFile(mutants: ReturnType<typeof numbered>): ReadonlyMap<string, NumberedChange[]> {
  const files = new Map<string, NumberedChange[]>();
  for (const { mutant, change } of mutants) {
    const known = files.get(mutant.file);
    if (known) known.push(change);
    else files.set(mutant.file, [change]);
  }
  return files;
}

function writeInstrumented(
  folder: string,
  file: string,
  changes: readonly NumberedChange[],
  sources: Sources,
): void {
  const to = relative(dirname(file), SWITCH_MODULE);
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, instrument(sources.fileNamed(file), changes, to.startsWith('.') ? to : `./${to}`));
}

/** Compiles the copy. Types are not checked, because a mutant may have type errors. */
async function compile(root: string, folder: string): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['-p', 'tsconfig.build.json', '--noCheck', '--declaration', 'false', '--sourceMap'];
  try {
    await promisify(execFile)(process.execPath, [compiler, ...flags], { cwd: folder });
  } catch (cause) {
    const [first = messageOf(cause)] = ((cause as { stdout?: string }).stdout ?? '').split('\n', 1);
    throw new CodedError('ERR_SOURCE', `the instrumented copy does not compile: ${first}`);
  }
}

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { createSystemClock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { PROGRAM_VERSION } from '../../base/version.ts';
import type { SourceReport } from '../../chaos/mutants/source/index.ts';
import { makeFolder, readIfThere, writeWhole } from '../files/files.ts';
import { type FlagValues, UsageError } from '../flags/flags.ts';
import type { chaosMutantsFlags } from './explore-flags.ts';
import { commandOf } from './report.ts';

type MutantFlags = FlagValues<typeof chaosMutantsFlags>;

/** Minimum time between two writes of an unfinished report, in milliseconds. */
const WRITE_EVERY_MS = 10_000;
const OUTPUT_FLAGS = ['report', 'workers'];

/**
 * Runs `orch chaos mutants --source` in the checkout of the working directory. Resolves with 0 if all mutants
 * are caught that are reached and not equivalent to the original, otherwise with 1.
 */
export async function huntSourceMutants(argv: readonly string[], flags: MutantFlags): Promise<number> {
  const { huntSource, sourceOperators, describeSourceScore, renderSourceReport } = await loadSource();
  const unknown = flags.operators.find(
    (name) => name !== '*' && !sourceOperators.some((operator) => operator.name === name),
  );
  if (unknown !== undefined)
    throw new UsageError(
      `unknown operator ${JSON.stringify(unknown)}: expected ${sourceOperators.map(({ name }) => name).join(', ')} or *`,
    );
  const earlier = flags.report === '' ? undefined : await readEarlier(flags.report);
  const store = createStore(flags.report);
  const report = await huntSource({
    root: checkout(),
    operators: sourceOperators.filter(
      ({ name }) => flags.operators.includes('*') || flags.operators.includes(name),
    ),
    files: flags.files,
    sample: flags.sample,
    seed: flags.seed,
    seeds: flags.seeds,
    budgetMs: flags.budget,
    workers: flags.workers === 0 ? availableParallelism() : flags.workers,
    chaosOnly: flags['chaos-only'],
    ...(earlier && { earlier }),
    onProgress: (text) => process.stderr.write(`${text}\n`),
    onReport: (unfinished) => store.write(unfinished),
  });
  if (flags.report !== '') {
    await store.end(report);
    const date = new Date(createSystemClock().now()).toISOString().slice(0, 10);
    const command = commandOf('orch chaos mutants', argv, OUTPUT_FLAGS);
    const page = renderSourceReport(report, { command, version: PROGRAM_VERSION, date });
    await writeWhole(pageOf(flags.report), page);
  }
  const { text, isClean } = describeSourceScore(report);
  process.stdout.write(text);
  return isClean ? 0 : 1;
}

/** Imports the modules that need the compiler. A program outside a checkout has no compiler. */
async function loadSource(): Promise<typeof import('../../chaos/mutants/source/index.ts')> {
  try {
    return await import('../../chaos/mutants/source/index.ts');
  } catch (thrown) {
    throw new UsageError(
      `--source needs the development dependencies of a checkout, run npm ci: ${messageOf(thrown)}`,
    );
  }
}

/** Returns the working directory. Throws `UsageError` if the directory is not a checkout. */
function checkout(): string {
  const folder = process.cwd();
  const needed = ['tsconfig.build.json', 'machines', join('test', 'mutants', 'runner.ts')];
  const missing = needed.find((name) => !existsSync(join(folder, name)));
  if (missing === undefined) return folder;
  throw new UsageError(
    `--source mutates the sources in the working directory: expected a checkout, but ${folder} has no ${missing}`,
  );
}

/** Reads the report of an earlier run with the same file name; undefined if the file does not exist. */
async function readEarlier(path: string): Promise<SourceReport | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const report = JSON.parse(text) as Partial<SourceReport>;
  if (typeof report.source !== 'string' || !Array.isArray(report.fates))
    throw new UsageError(`${path} is no report of source mutants: expected another --report or no such file`);
  return report as SourceReport;
}

/** Returns the name of the Markdown page next to the JSON report. */
const pageOf = (report: string): string => `${report.replace(/\.json$/, '')}.md`;

/** Returns a store that writes unfinished reports periodically, one at a time. */
function createStore(path: string): {
  write(report: SourceReport): void;
  end(report: SourceReport): Promise<void>;
} {
  const clock = createSystemClock();
  let lastMs = clock.monotonic();
  let written: Promise<void> = Promise.resolve();
  const end = async (report: SourceReport): Promise<void> => {
    await written;
    makeFolder(dirname(path));
    await writeWhole(path, `${JSON.stringify(report, null, 2)}\n`);
  };
  return {
    write(report) {
      if (path === '' || clock.monotonic() - lastMs < WRITE_EVERY_MS) return;
      lastMs = clock.monotonic();
      written = end(report);
      written.catch(() => {});
    },
    end,
  };
}

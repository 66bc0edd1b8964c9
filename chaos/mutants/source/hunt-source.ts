import { createHash } from 'node:crypto';
import { createSeededRandom } from '../../../base/random/index.ts';
import { ordinaryFaults } from '../../world/index.ts';
import { orchVocabulary } from '../../../api/vocabulary/index.ts';
import { loadSubject } from '../../run/subject.ts';
import type { Plan } from '../../run/swarm.ts';
import { type CataloguedMutant, mutantsOfFile } from './catalogue.ts';
import type { SourceOperator } from './change.ts';
import { type InstrumentedCopy, createInstrumentedCopy, numbered } from './copy.ts';
import { isMutated, matching } from './scope.ts';
import type { SourceMutant } from './source-mutant.ts';
import { type Sources, openSources } from './sources.ts';
import { type ChaosFate, runTrials } from './trials.ts';
import { type TestFate, runUnitTests } from './unit-tests.ts';

/** A mutant with the results of unit tests and chaos. */
export interface SourceFate {
  readonly mutant: SourceMutant;
  /** Result in unit tests. Undefined if unit tests were not run. */
  readonly tests?: TestFate;
  readonly chaos: ChaosFate;
}

/** Result of a hunt. A later hunt can continue it. */
export interface SourceReport {
  /** Hash of the sources from which the mutants were created. */
  readonly source: string;
  /** Number of mutants from which the sample was drawn. */
  readonly population: number;
  readonly seeds: number;
  readonly fates: readonly SourceFate[];
}

/** Selection of mutants, limits, and receivers of results. */
export interface SourceHuntOptions {
  /** Directory of the checkout. */
  readonly root: string;
  readonly operators: readonly SourceOperator[];
  readonly files: string;
  /** Size of the sample; 0 for all mutants. */
  readonly sample: number;
  readonly seed: number;
  /** Number of seeds with which each mutant is run. */
  readonly seeds: number;
  /** Time limit in milliseconds for the unit tests of one mutant, and for its chaos runs. */
  readonly budgetMs: number;
  readonly workers: number;
  readonly chaosOnly: boolean;
  /** Earlier report on the same source. Mutants in this report are not run again. */
  readonly earlier?: SourceReport;
  readonly onProgress: (text: string) => void;
  /** Called with the report after every mutant, so that an interrupted hunt can be continued. */
  readonly onReport: (report: SourceReport) => void;
}

const SEARCH_MS = 5_000;
/** Virtual duration of a seed in milliseconds. */
const LASTS_MS = 3_600_000;
const COMPARED_EVERY = 4;

/**
 * Creates mutants of the sources and runs them both in unit tests and in chaos runs. Every mutant is run in
 * both, because the report names the mutants that only chaos catches.
 */
export async function huntSource(options: SourceHuntOptions): Promise<SourceReport> {
  const { source, population, known, mutants, copy } = await prepare(options);
  using copied = copy;
  const reportOf = (fates: readonly SourceFate[]): SourceReport => ({
    source,
    population,
    seeds: options.seeds,
    fates: [...known, ...fates].toSorted((a, b) => (a.mutant.name < b.mutant.name ? -1 : 1)),
  });
  if (!copied) return reportOf([]);
  return reportOf(await tryAll(mutants, copied, options, (fates) => options.onReport(reportOf(fates))));
}

/**
 * Draws the mutants and creates the copy; the copy is undefined if no mutant is left to run. Ends the
 * compiler afterwards.
 */
async function prepare(options: SourceHuntOptions): Promise<{
  readonly source: string;
  readonly population: number;
  readonly known: readonly SourceFate[];
  readonly mutants: readonly SourceMutant[];
  readonly copy: InstrumentedCopy | undefined;
}> {
  using sources = openSources(options.root);
  options.onProgress('search for mutants');
  const { mutants: all, source } = allMutants(sources, options);
  const sample = sampleOf(all, options, ({ mutant }) => folderOf(mutant.file));
  const known = knownFates(sample, source, options);
  const done = new Set(known.map(({ mutant }) => mutant.name));
  const left = numbered(sample.filter(({ mutant }) => !done.has(mutant.name)));
  options.onProgress(`instrument ${left.length} of ${all.length} mutants`);
  const copy = left.length > 0 ? await createInstrumentedCopy(options.root, sources, left) : undefined;
  return { source, population: all.length, known, mutants: left.map(({ mutant }) => mutant), copy };
}

/** Returns the results of an earlier report that need not be repeated. */
function knownFates(
  sample: readonly CataloguedMutant[],
  source: string,
  { earlier, chaosOnly }: SourceHuntOptions,
): readonly SourceFate[] {
  if (earlier?.source !== source) return [];
  const names = new Set(sample.map(({ mutant }) => mutant.name));
  return earlier.fates.filter(({ mutant, tests }) => names.has(mutant.name) && (chaosOnly || tests));
}

async function tryAll(
  mutants: readonly SourceMutant[],
  { folder, compiled }: InstrumentedCopy,
  options: SourceHuntOptions,
  onFates: (fates: readonly SourceFate[]) => void,
): Promise<readonly SourceFate[]> {
  const { budgetMs, workers, onProgress, seeds, chaosOnly } = options;
  const ids = mutants.map(({ id }) => id);
  const under = new Map<number, ChaosFate>();
  let tested: ReadonlyMap<number, TestFate> | undefined;
  const fates = (): readonly SourceFate[] =>
    mutants.flatMap((mutant) => {
      const [chaos, tests] = [under.get(mutant.id), tested?.get(mutant.id)];
      return chaos ? [{ mutant, ...(tests && { tests }), chaos }] : [];
    });
  const testing = async (): Promise<void> => {
    if (!chaosOnly) tested = await runUnitTests(mutants, { folder, workers, budgetMs, onProgress });
  };
  const trials = runTrials(ids, {
    workerFile: compiled('chaos/mutants/source/worker.ts'),
    parameters: { plan: await readPlan(), searchMs: SEARCH_MS },
    seeds,
    workers,
    budgetMs,
    onProgress,
    onFate: (id, fate) => {
      under.set(id, fate);
      onFates(fates());
    },
  });
  await Promise.all([testing(), trials]);
  return fates();
}

function allMutants(
  sources: Sources,
  { files, operators }: SourceHuntOptions,
): { readonly mutants: readonly CataloguedMutant[]; readonly source: string } {
  const isSelected = matching(files);
  const hash = createHash('sha256');
  const mutants = sources.names.filter(isMutated).flatMap((name) => {
    hash.update(name).update(sources.fileNamed(name).text);
    return isSelected(name) ? mutantsOfFile(name, sources, operators) : [];
  });
  return { mutants, source: hash.digest('hex').slice(0, 16) };
}

/**
 * Returns a sample that depends only on the list, the size and the seed. It is stratified: every stratum has
 * its share of the sample, rounded up or down.
 */
export function sampleOf<T>(
  all: readonly T[],
  { sample, seed }: { readonly sample: number; readonly seed: number },
  stratumOf: (item: T) => string,
): readonly T[] {
  if (sample === 0 || sample >= all.length) return all;
  const random = createSeededRandom(seed);
  const strata = new Map<string, T[]>();
  for (const item of all) {
    const stratum = strata.get(stratumOf(item)) ?? [];
    stratum.splice(random.int(stratum.length + 1), 0, item);
    strata.set(stratumOf(item), stratum);
  }
  const ordered = [...strata.values()].flat();
  const step = all.length / sample;
  const start = random.next() * step;
  return ordered.filter((_, i) => Math.ceil((i - start) / step) < Math.ceil((i + 1 - start) / step));
}

/** Returns the directory that names the part of the program, such as `controllers/job`. */
export const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/**
 * Returns the plan of `orch chaos run` without flags, except that more seeds are compared with their runs
 * without faults.
 */
export async function readPlan(): Promise<Plan> {
  const { product } = orchVocabulary;
  const { controllers } = await loadSubject(product, ['*']);
  return {
    product,
    selection: ['*'],
    controllers,
    faults: ordinaryFaults,
    budget: 5,
    lastsMs: LASTS_MS,
    comparedEvery: COMPARED_EVERY,
  };
}

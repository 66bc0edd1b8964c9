import { explorable, workloadsOf } from '../../explore/scenarios/index.ts';
import type { Reach } from '../hunt.ts';
import { ENDED, type Thread, startThread } from './threads.ts';
import type { Way, WayResult } from './way.ts';
import type { MutantThread, Trial, TrialResult } from './worker.ts';

/** Result of a mutant in chaos runs. */
export interface ChaosFate {
  readonly verdict: TrialResult['verdict'] | 'not reached';
  /** Id of the invariant that caught the mutant; '' if none did. */
  readonly by: string;
  /** The seed or search that caught the mutant; '' if none did. */
  readonly where: string;
  /** Number of runs with the mutant. Only runs that reach its place are tried. */
  readonly tried: number;
}

export interface TrialsOptions {
  /** Path of the compiled `worker.ts` of the instrumented copy. */
  readonly workerFile: string;
  readonly parameters: Omit<MutantThread, 'loadedWith'>;
  readonly seeds: number;
  readonly workers: number;
  /** Time limit in milliseconds for the runs of one mutant. */
  readonly budgetMs: number;
  readonly onProgress: (text: string) => void;
  readonly onFate: (mutant: number, fate: ChaosFate) => void;
}

/** Bounds of searches in ascending order of cost. */
const REACHES: readonly Reach[] = [
  { objects: 1, faults: 0, leaders: 1 },
  { objects: 1, faults: 1, leaders: 1 },
];

/** Returns all runs: a search of every workload for each bound, and seeds from 0. */
export const waysOf = (seeds: number): readonly Way[] => [
  ...REACHES.flatMap((reach) =>
    explorable.flatMap(workloadsOf).map((workload): Way => ({ kind: 'search', workload, reach })),
  ),
  ...Array.from({ length: seeds }, (_, seed): Way => ({ kind: 'seed', seed })),
];

/** A run of the original, and the mutants that it reaches. */
interface Covered {
  readonly way: Way;
  readonly calm: WayResult;
  readonly reached: ReadonlySet<number>;
}

/** Runs mutants in the searches and seeds that reach them. Searches come first. */
export async function runTrials(mutants: readonly number[], options: TrialsOptions): Promise<void> {
  const { covered, loading } = await cover(options);
  let done = 0;
  await eachOnThread(mutants, options, async (mutant, thread) => {
    const fate = await fateOf(mutant, { covered, loading, options, thread });
    options.onFate(mutant, fate);
    options.onProgress(`chaos: ${++done} of ${mutants.length} mutants`);
  });
}

async function cover(options: TrialsOptions): Promise<{
  readonly covered: readonly Covered[];
  readonly loading: ReadonlySet<number>;
}> {
  const covered: Covered[] = [];
  const loading = new Set<number>();
  const ways = waysOf(options.seeds);
  let done = 0;
  await eachOnThread(ways, options, async (way, thread) => {
    for (const id of (await thread()).loading) loading.add(id);
    const calm = await (await thread()).cover(way);
    options.onProgress(`coverage: ${++done} of ${ways.length} runs`);
    // Ignores a run without mutants that reached a bound or failed, because it shows nothing about mutants.
    if (calm.verdict === 'pass')
      covered.push({ way, calm: { ...calm, reached: [] }, reached: new Set(calm.reached) });
  });
  return { covered, loading };
}

/**
 * Orders runs so that searches and seeds get the same share of a time limit at every point. Of each kind, the
 * shorter runs come first.
 */
function sharedOut(covered: readonly Covered[]): readonly Covered[] {
  const shortestFirst = covered.toSorted((a, b) => a.calm.ms - b.calm.ms);
  const kinds = (['search', 'seed'] as const).map((kind) => ({
    left: shortestFirst.filter(({ way }) => way.kind === kind),
    spentMs: 0,
  }));
  return covered.map(() => {
    const next = kinds
      .filter(({ left }) => left.length > 0)
      .reduce((one, other) => (other.spentMs < one.spentMs ? other : one));
    const run = next.left.shift() as Covered;
    next.spentMs += run.calm.ms;
    return run;
  });
}

type CurrentThread = (loadedWith?: number) => Promise<Thread>;

interface TrialContext {
  readonly covered: readonly Covered[];
  readonly loading: ReadonlySet<number>;
  readonly options: TrialsOptions;
  readonly thread: CurrentThread;
}

async function fateOf(mutant: number, context: TrialContext): Promise<ChaosFate> {
  const { covered, loading, options, thread } = context;
  const isLoading = loading.has(mutant);
  const ways = isLoading ? covered : covered.filter(({ reached }) => reached.has(mutant));
  if (ways.length === 0) return { verdict: 'not reached', by: '', where: '', tried: 0 };
  const trial = {
    mutant,
    ways: sharedOut(ways).map(({ way, calm }) => ({ way, calm })),
    budgetMs: options.budgetMs,
  };
  let result = await attempted(trial, thread, isLoading ? mutant : 0);
  // The thread had stored a value computed by the original, so the mutant was not reached. A new thread loads
  // the modules with the mutant.
  if (!result.isReached) result = await attempted(trial, thread, mutant);
  const { verdict, by, way, tried } = result;
  return { verdict, by, where: way ? describeWay(way) : '', tried };
}

/** Runs a mutant on a thread. A mutant with which the modules cannot be loaded is caught. */
async function attempted(trial: Trial, thread: CurrentThread, loadedWith: number): Promise<TrialResult> {
  let loaded: Thread;
  try {
    loaded = await thread(loadedWith);
  } catch (thrown) {
    if (loadedWith === 0) throw thrown;
    return ENDED;
  }
  return loaded.attempt(trial);
}

const describeWay = (way: Way): string =>
  way.kind === 'seed'
    ? `seed ${way.seed}`
    : `explore ${way.workload}, ${way.reach.faults} ${way.reach.faults === 1 ? 'fault' : 'faults'}`;

/** Handles all items on threads. A thread that is spent is replaced. */
async function eachOnThread<T>(
  items: readonly T[],
  { workers, workerFile, parameters }: TrialsOptions,
  handle: (item: T, thread: CurrentThread) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const lane = async (): Promise<void> => {
    let current: Thread | undefined;
    const thread: CurrentThread = async (loadedWith = 0) => {
      if (current !== undefined && !current.isSpent && loadedWith === 0) return current;
      await current?.[Symbol.asyncDispose]();
      current = undefined;
      current = await startThread(workerFile, { ...parameters, loadedWith });
      return current;
    };
    try {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await handle(item, thread);
    } finally {
      await current?.[Symbol.asyncDispose]();
    }
  };
  await Promise.all(Array.from({ length: workers }, lane));
}

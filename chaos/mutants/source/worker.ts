import { parentPort, workerData } from 'node:worker_threads';
import { switchMutant, takeReached } from './switch.ts';
import type { Way, WayResult } from './way.ts';
import type { Plan } from '../../run/swarm.ts';

/** Parameters of a thread that runs the instrumented copy. */
export interface MutantThread {
  readonly plan: Plan;
  readonly searchMs: number;
  /** Number of the mutant that is on while modules are loaded; 0 for none. */
  readonly loadedWith: number;
}

/** A mutant, the runs that reach its place, and the results of these runs without the mutant. */
export interface Trial {
  readonly mutant: number;
  readonly ways: readonly { readonly way: Way; readonly calm: WayResult }[];
  readonly budgetMs: number;
}

/** Result of a trial. */
export interface TrialResult {
  readonly verdict: 'caught' | 'same' | 'survived';
  readonly by: string;
  /** The run that caught the mutant; undefined if none did. */
  readonly way?: Way;
  /** Number of runs that were executed. */
  readonly tried: number;
  /**
   * True if the original behaves differently afterwards, because the thread stored a value that the mutant
   * computed.
   */
  readonly isSpoiled: boolean;
  /** True if the place was reached in this thread. */
  readonly isReached: boolean;
}

export type ThreadTask =
  { readonly type: 'cover'; readonly way: Way } | { readonly type: 'try'; readonly trial: Trial };

const { plan, searchMs, loadedWith } = workerData as MutantThread;
Error.stackTraceLimit = 0;
// A mutant that removes an `await` causes unhandled rejections.
process.addListener('unhandledRejection', () => {});
switchMutant(loadedWith);
const { goWay } = await import('./way.ts');
const { loadSubject } = await import('../../run/subject.ts');
const { youngCollector } = await import('../../run/worlds-heap.ts');
const subject = await loadSubject(plan.product, plan.selection);
const options = { plan, subject, searchMs };
const collectYoung = youngCollector();

/** A run with a mutant may read this many times as many switches as the original, plus `SWITCHES_MORE`. */
const SWITCHES_FACTOR = 50;
const SWITCHES_MORE = 1_000_000;

async function attempt({ mutant, ways, budgetMs }: Trial): Promise<TrialResult> {
  const untilMs = performance.now() + budgetMs;
  let isReached = loadedWith === mutant;
  let tried = 0;
  let different: Trial['ways'][number] | undefined;
  for (const each of ways) {
    const { way, calm } = each;
    if (performance.now() > untilMs) break;
    tried++;
    const result = await goWay(way, mutant, options, calm.switches * SWITCHES_FACTOR + SWITCHES_MORE);
    isReached ||= result.reached.includes(mutant);
    if (result.hash !== calm.hash) different ??= each;
    if (result.verdict === 'fail')
      return { verdict: 'caught', by: result.by, way, tried, isReached, isSpoiled: await isSpoiled(each) };
  }
  const spoiled = different !== undefined && (await isSpoiled(different));
  return { verdict: different ? 'survived' : 'same', by: '', tried, isReached, isSpoiled: spoiled };
}

/** True if the original behaves differently than before the mutant ran. */
const isSpoiled = async ({ way, calm }: Trial['ways'][number]): Promise<boolean> =>
  (await goWay(way, 0, options)).hash !== calm.hash;

parentPort?.on('message', (task: ThreadTask) => {
  void (task.type === 'cover' ? goWay(task.way, 0, options) : attempt(task.trial)).then(
    (result) => {
      parentPort?.postMessage(result);
      setImmediate(collectYoung);
    },
    (thrown: unknown) => parentPort?.postMessage({ error: String(thrown) }),
  );
});
parentPort?.postMessage({ reached: takeReached() });

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from '../../base/errors/index.ts';
import type { GroupSearch, GroupThreads } from './explore-controller.ts';
import type { Progress } from './explorer.ts';
import type { FaultKind } from './faults.ts';

/**
 * Parameters of a search thread. The thread builds the search itself, because functions cannot be sent to
 * threads.
 */
export interface GroupTask {
  /** Workload name as accepted by `subjectOf`. */
  readonly workload: string;
  readonly objects: number;
  /** Name of a mutant of the controller; '' for the original. */
  readonly mutant: string;
  /** Index of the group in the workload. */
  readonly nth: number;
  readonly faults: number;
  readonly faultKinds: readonly FaultKind[];
  readonly lag: number;
  readonly leaders: number;
  readonly conditions: boolean;
  readonly postpones: boolean;
  readonly maxStates: number;
  readonly maxMs: number;
}

export type FromGroupWorker = { readonly progress: Progress } | { readonly search: GroupSearch };

/**
 * Size of the young generation in megabytes.
 *
 * A search creates much short-lived data and much long-lived data. This size is a tenth faster than the
 * default.
 */
const YOUNG_MB = 192;

/** Creates one thread for each group. `onProgress` receives the totals of all groups. */
export function createGroupThreads(
  task: Omit<GroupTask, 'nth' | 'maxMs'>,
  onProgress?: (progress: Progress) => void,
): GroupThreads {
  const workers: Worker[] = [];
  const latest = new Map<number, Progress>();
  const report = (): void => {
    const all = [...latest.values()];
    const sum = (of: (each: Progress) => number): number => all.reduce((total, each) => total + of(each), 0);
    onProgress?.({
      states: sum(({ states }) => states),
      waiting: sum(({ waiting }) => waiting),
      depth: Math.max(...all.map(({ depth }) => depth)),
      ms: Math.max(...all.map(({ ms }) => ms)),
    });
  };
  return {
    explore(nth, maxMs) {
      const worker = new Worker(workerFile(), {
        workerData: { ...task, nth, maxMs } satisfies GroupTask,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      });
      workers.push(worker);
      return new Promise((resolve, reject) => {
        worker.on('message', (message: FromGroupWorker) => {
          if ('search' in message) return resolve(message.search);
          latest.set(nth, message.progress);
          report();
        });
        worker.on('error', (thrown) => reject(asError(thrown)));
        worker.on('exit', () => reject(new Error(`the search of group ${nth} has ended without a result`)));
      });
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

/**
 * Returns the address of the worker script, which is next to this file both in the sources and in the built
 * program.
 */
const workerFile = (): URL => new URL(`./group-worker${extname(import.meta.url)}`, import.meta.url);

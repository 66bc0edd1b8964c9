import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from '../../base/errors/coded.ts';
import type { GroupSearch, GroupThreads } from './explore-controller.ts';
import type { Progress } from './explorer.ts';
import type { FaultKind } from './faults.ts';

/** What a thread needs to make its search itself: code does not travel between threads. */
export interface GroupTask {
  /** As `subjectOf` takes it. */
  readonly workload: string;
  readonly objects: number;
  /** The name of a mutant of its controller; '' for none. */
  readonly mutant: string;
  /** Which of the groups of the workload. */
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
 * Most of what a search makes is forgotten at once, and what stays is much: so much room for what is new, in megabytes,
 * takes a tenth of the time less than what a thread has by itself.
 */
const YOUNG_MB = 192;

/** A thread for each group that is to be explored. `onProgress` is told of all of them together. */
export function createGroupThreads(
  task: Omit<GroupTask, 'nth' | 'maxMs'>,
  onProgress?: (progress: Progress) => void,
): GroupThreads {
  const workers: Worker[] = [];
  const heard = new Map<number, Progress>();
  const tell = (): void => {
    const all = [...heard.values()];
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
          heard.set(nth, message.progress);
          tell();
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

/** In the sources as in the program that was built of them, its file is next to this one. */
const workerFile = (): URL => new URL(`./group-worker${extname(import.meta.url)}`, import.meta.url);

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from '../../base/errors/coded.ts';
import type { SeedResult } from './campaign.ts';
import type { Plan } from './swarm.ts';
import { keepWorldsYoung } from './worlds-heap.ts';

/** What a worker needs to make its subject itself: code does not travel between threads. */
export interface WorkerTask {
  readonly plan: Plan;
  readonly module?: string;
  readonly verify: boolean;
  readonly observe: boolean;
}

/**
 * Runs seeds on as many threads as `count`. `next` gives the next seed, undefined when there are no more; `onResult`
 * hears of each as it is done. Rejects when a worker fails.
 */
export async function runOnWorkers(
  count: number,
  task: WorkerTask,
  next: () => number | undefined,
  onResult: (result: SeedResult) => void,
): Promise<void> {
  keepWorldsYoung();
  await Promise.all(Array.from({ length: count }, () => runWorker(task, next, onResult)));
}

function runWorker(
  task: WorkerTask,
  next: () => number | undefined,
  onResult: (result: SeedResult) => void,
): Promise<void> {
  const worker = new Worker(workerFile(), { workerData: task });
  return new Promise((resolve, reject) => {
    const feed = (): void => {
      const seed = next();
      if (seed !== undefined) return worker.postMessage(seed);
      void worker.terminate().then(() => resolve());
    };
    worker.on('message', (result: SeedResult | 'ready') => {
      if (result !== 'ready') onResult(result);
      feed();
    });
    worker.on('error', (thrown) => reject(asError(thrown)));
  });
}

/** In the sources as in the program that was built of them, its file is next to this one. */
const workerFile = (): URL => new URL(`./seed-worker${extname(import.meta.url)}`, import.meta.url);

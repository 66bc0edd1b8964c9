import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from '../../base/errors/index.ts';
import type { SeedResult } from './campaign.ts';
import type { Plan } from './swarm.ts';
import { keepWorldsYoung } from './worlds-heap.ts';

/**
 * Parameters of a worker thread. The worker loads its subject itself, because functions cannot be sent to
 * threads.
 */
export interface WorkerTask {
  readonly plan: Plan;
  readonly module?: string;
  readonly verify: boolean;
  readonly observe: boolean;
}

/**
 * Runs seeds on `count` threads. Rejects if a worker fails.
 * @param next returns the next seed, or undefined at the end
 * @param onResult called with the result of each seed
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

/**
 * Returns the address of the worker script, which is next to this file both in the sources and in the built
 * program.
 */
const workerFile = (): URL => new URL(`./seed-worker${extname(import.meta.url)}`, import.meta.url);

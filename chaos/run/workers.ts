import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from '../../base/errors/index.ts';
import type { SeedResult } from './campaign.ts';
import type { Plan } from './swarm.ts';
import { keepWorldsYoung } from './worlds-heap.ts';

/** Parameters from which a worker builds its subject, because functions cannot be sent to threads. */
export interface WorkerTask {
  readonly plan: Plan;
  readonly module?: string;
  readonly verify: boolean;
  readonly observe: boolean;
}

/**
 * Runs seeds on `count` threads. `next` returns the next seed, or undefined at the end; `onResult` receives
 * each result. Rejects if a worker fails.
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

/** Worker script, next to this file in the sources and in the built program. */
const workerFile = (): URL => new URL(`./seed-worker${extname(import.meta.url)}`, import.meta.url);

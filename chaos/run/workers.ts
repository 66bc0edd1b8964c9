import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { CodedError } from '../../base/errors/coded.ts';
import type { SeedResult } from './campaign.ts';
import type { Plan } from './swarm.ts';

/** What a worker needs to make its subject itself: code does not travel between processes. */
export interface WorkerTask {
  readonly plan: Plan;
  readonly module?: string;
  readonly verify: boolean;
  readonly observe: boolean;
}

/** What a worker is told: its task at first, then a seed at a time. It says when it is ready, and what each seed has shown. */
export type WorkerOrder = WorkerTask | number;
export type WorkerReport = SeedResult | 'ready';

/**
 * Where every core has seeds of its own nothing is gained by threads that help to collect garbage: they get in each other's
 * way, and take a fifth of the processor's time. It can be said only to a process, and only as it starts.
 */
const V8_OPTIONS = ['--single-threaded-gc'];

/**
 * Runs seeds in as many processes as `count`. `next` gives the next seed, undefined when there are no more; `onResult`
 * hears of each as it is done. Rejects with `ERR_WORKER` when a process ends by itself.
 */
export async function runOnWorkers(
  count: number,
  task: WorkerTask,
  next: () => number | undefined,
  onResult: (result: SeedResult) => void,
): Promise<void> {
  const workers = Array.from({ length: count }, startWorker);
  try {
    await Promise.all(workers.map((worker) => feed(worker, task, next, onResult)));
  } finally {
    for (const worker of workers) worker.kill();
  }
}

const startWorker = (): ChildProcess =>
  fork(workerFile(), { execArgv: [...process.execArgv, ...V8_OPTIONS], serialization: 'advanced' });

function feed(
  worker: ChildProcess,
  task: WorkerTask,
  next: () => number | undefined,
  onResult: (result: SeedResult) => void,
): Promise<void> {
  const order = (given: WorkerOrder): void => void worker.send(given);
  return new Promise((resolve, reject) => {
    worker.on('message', (report: WorkerReport) => {
      if (report !== 'ready') onResult(report);
      const seed = next();
      if (seed === undefined) resolve();
      else order(seed);
    });
    worker.on('error', reject);
    worker.on('exit', (code, signal) =>
      reject(new CodedError('ERR_WORKER', `a process that runs seeds ended by itself (${signal ?? code})`)),
    );
    order(task);
  });
}

/** Beside this file; where the program was put together into few files, in the folder it was made from. */
function workerFile(): URL {
  const beside = new URL(`./seed-worker${extname(import.meta.url)}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../../chaos/run/${WORKER}`, import.meta.url);
}

const WORKER = 'seed-worker.js';

import { Worker } from 'node:worker_threads';
import { createSystemClock, type Timer } from '../../../base/clock/index.ts';
import { asError } from '../../../base/errors/index.ts';
import { keepWorldsYoung } from '../../run/worlds-heap.ts';
import { NO_VERDICT, type Way, type WayResult } from './way.ts';
import type { MutantThread, ThreadTask, Trial, TrialResult } from './worker.ts';

/** Thread that runs the instrumented copy. It executes one task at a time. */
export interface Thread extends AsyncDisposable {
  /** Numbers of the mutants whose place is reached while modules are loaded. */
  readonly loading: readonly number[];
  cover(way: Way): Promise<WayResult>;
  /** Runs a mutant. Ends the thread if that takes much longer than the time limit of the mutant. */
  attempt(trial: Trial): Promise<TrialResult>;
  /** True if the thread cannot be used for another mutant. */
  readonly isSpent: boolean;
}

/** Time in milliseconds that a thread may take beyond its time limit before it counts as hanging. */
const GRACE_MS = 60_000;
const HEAP_MB = 1_024;

const clock = createSystemClock();

/** Starts a thread on the compiled worker of an instrumented copy. */
export async function startThread(file: string, parameters: MutantThread): Promise<Thread> {
  keepWorldsYoung();
  const worker = new Worker(file, {
    workerData: parameters,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const { reached } = await replyOf<{ readonly reached: readonly number[] }>(worker);
  return new MutantWorker(worker, reached, parameters.loadedWith !== 0);
}

/** Resolves with the next message of the worker. Rejects if the worker fails. */
function replyOf<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (reply: T | { readonly error: string }): void => {
      worker.off('error', onError);
      if (typeof reply === 'object' && reply !== null && 'error' in reply) reject(new Error(reply.error));
      else resolve(reply);
    };
    const onError = (thrown: unknown): void => {
      worker.off('message', onMessage);
      reject(asError(thrown));
    };
    worker.once('message', onMessage);
    worker.once('error', onError);
  });
}

/** Result of a mutant that ends its thread: by an endless loop, by too much memory, or while modules load. */
export const ENDED: TrialResult = {
  verdict: 'caught',
  by: NO_VERDICT,
  tried: 1,
  isSpoiled: true,
  isReached: true,
};

class MutantWorker implements Thread {
  readonly #worker: Worker;
  readonly loading: readonly number[];
  isSpent: boolean;

  constructor(worker: Worker, loading: readonly number[], isSpent: boolean) {
    this.#worker = worker;
    this.loading = loading;
    this.isSpent = isSpent;
  }

  cover(way: Way): Promise<WayResult> {
    return this.#ask<WayResult>({ type: 'cover', way });
  }

  async attempt(trial: Trial): Promise<TrialResult> {
    let timer: Timer | undefined;
    const late = new Promise<TrialResult>((resolve) => {
      timer = clock.setTimeout(() => resolve(ENDED), trial.budgetMs + GRACE_MS);
    });
    try {
      const result = await Promise.race([this.#ask<TrialResult>({ type: 'try', trial }), late]);
      this.isSpent ||= result.isSpoiled;
      return result;
    } catch {
      // The mutant exceeded the memory limit or crashed the thread.
      this.isSpent = true;
      return ENDED;
    } finally {
      if (timer) clock.clearTimeout(timer);
    }
  }

  #ask<T>(task: ThreadTask): Promise<T> {
    const reply = replyOf<T>(this.#worker);
    this.#worker.postMessage(task);
    return reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

import { Worker } from 'node:worker_threads';
import { asError } from '../../base/errors/index.ts';
import type { ManagerOrder, ThreadData } from './controllers-thread-messages.ts';

/** Thread that runs controller managers, while the main thread runs the API server. */
export interface ControllersThread {
  /** Resolves to the reason if the thread ends by itself. */
  readonly failed: Promise<Error>;
  /**
   * Runs a manager whose data directory is provisioned. The ports in the order belong to the thread from then
   * on.
   */
  run(order: ManagerOrder): void;
  /** Ends the thread with its managers. */
  end(): Promise<void>;
}

/**
 * Starts the thread, which loads its modules in parallel. This module has few imports, so that the thread
 * starts early.
 */
export function startControllersThread(workerData: ThreadData): ControllersThread {
  return superviseThread(
    new Worker(new URL('./controllers-thread-main.js', import.meta.url), { workerData }),
  );
}

/** Wraps a worker that accepts orders. */
export function superviseThread(worker: Worker): ControllersThread {
  let ended = false;
  const failed = new Promise<Error>((resolve) => {
    worker.once('error', (thrown) => resolve(asError(thrown)));
    worker.once('exit', (code) => {
      if (!ended) resolve(new Error(`the thread of the controllers exited with code ${code}`));
    });
  });
  return {
    failed,
    run: (order) => worker.postMessage(order, [order.api, order.server, order.manager, order.steps]),
    async end() {
      ended = true;
      await worker.terminate();
    },
  };
}

import { Worker } from 'node:worker_threads';
import { asError } from '../base/errors/coded.ts';
import type { ManagerOrder, ThreadData } from './controllers-thread-messages.ts';

/** A thread of this process that controller managers run in, beside the API server in this one. */
export interface ControllersThread {
  /** Resolves with why it ended, where nobody has ended it. */
  readonly failed: Promise<Error>;
  /** Has it put a manager together, whose data folder is provisioned; its ports are the thread's from now on. */
  run(order: ManagerOrder): void;
  /** Ends it with all that runs in it. */
  end(): Promise<void>;
}

/** Starts the thread, which loads what it needs meanwhile. This module needs next to nothing, to be there first. */
export function startControllersThread(workerData: ThreadData): ControllersThread {
  return superviseThread(
    new Worker(new URL('./controllers-thread-main.js', import.meta.url), { workerData }),
  );
}

/** The thread of a worker that takes orders. */
export function superviseThread(worker: Worker): ControllersThread {
  let ended = false;
  const failed = new Promise<Error>((resolve) => {
    worker.once('error', (thrown) => resolve(asError(thrown)));
    worker.once('exit', (code) => {
      if (!ended) resolve(new Error(`the thread of the controllers ended with ${code}`));
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

import { parentPort, workerData } from 'node:worker_threads';
import { runSeed } from './campaign.ts';
import { loadSubject } from './subject.ts';
import { youngCollector } from './worlds-heap.ts';
import type { WorkerTask } from './workers.ts';

// Runs the seeds it is sent, one after the other, and sends back what they have shown.
// Errors here are answers, by the hundred in each seed; nobody sees where one was made.
Error.stackTraceLimit = 0;
const { plan, module, verify, observe } = workerData as WorkerTask;
const subject = await loadSubject(plan.product, plan.selection, module);
const collectYoung = youngCollector();
parentPort?.on('message', (seed: number) => {
  void runSeed(seed, { plan, subject, verify, observe, ...(module !== undefined && { module }) }).then(
    (result) => {
      parentPort?.postMessage(result);
      // When the last of what has run the seed is over too.
      setImmediate(collectYoung);
    },
  );
});
parentPort?.postMessage('ready');

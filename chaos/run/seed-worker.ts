import { parentPort, workerData } from 'node:worker_threads';
import { runSeed } from './campaign.ts';
import { loadSubject } from './subject.ts';
import { youngCollector } from './worlds-heap.ts';
import type { WorkerTask } from './workers.ts';

// Runs the seeds that it receives, and sends back the results. Each seed throws hundreds of expected errors,
// so their stacks are not captured.
Error.stackTraceLimit = 0;
const { plan, module, verify, observe } = workerData as WorkerTask;
const subject = await loadSubject(plan.product, plan.selection, module);
const collectYoung = youngCollector();
parentPort?.on('message', (seed: number) => {
  void runSeed(seed, { plan, subject, verify, observe, ...(module !== undefined && { module }) }).then(
    (result) => {
      parentPort?.postMessage(result);
      // Runs after the last continuation of the run, when its world is garbage.
      setImmediate(collectYoung);
    },
  );
});
parentPort?.postMessage('ready');

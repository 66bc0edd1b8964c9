import { runSeed } from './campaign.ts';
import { type LoadedSubject, loadSubject } from './subject.ts';
import type { WorkerOrder, WorkerReport, WorkerTask } from './workers.ts';

// Runs the seeds it is sent, one after the other, and sends back what they have shown.
// Errors here are answers, by the hundred in each seed; nobody sees where one was made.
Error.stackTraceLimit = 0;
let own: { readonly task: WorkerTask; readonly subject: LoadedSubject } | undefined;

async function carryOut(order: WorkerOrder): Promise<WorkerReport> {
  if (typeof order !== 'number') {
    own = { task: order, subject: await loadSubject(order.plan.product, order.plan.selection, order.module) };
    return 'ready';
  }
  if (own === undefined) throw new Error(`seed ${order} came before what is to be done with it`);
  return runSeed(order, { ...own.task, subject: own.subject });
}

process.on('message', (order: WorkerOrder) => {
  void carryOut(order).then((report) => process.send?.(report));
});
// Whoever sends seeds has gone.
process.on('disconnect', () => process.exit());

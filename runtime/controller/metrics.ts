import { createMetrics, type Metrics } from '../../base/metrics/metrics.ts';
import type { PassOutcome } from '../../machines/pass/pass.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/** What controllers count. */
export interface ControllerMetrics {
  /** Makes a controller's series, all zero, and reads its queue at each `expose`. */
  track(controller: string, queue: WorkQueue): void;
  passFinished(controller: string, outcome: PassOutcome, ms: number, waitedMs: number): void;
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const OUTCOMES: readonly PassOutcome[] = ['settled', 'requeue', 'failed'];
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** Counts in `metrics`, by default a register of its own. */
export function createControllerMetrics(metrics: Metrics = createMetrics()): ControllerMetrics {
  const queues = new Map<string, WorkQueue>();
  const passes = metrics.counter('controller_passes_total', 'Passes over a key, by outcome', [
    'controller',
    'outcome',
  ]);
  const durations = metrics.histogram(
    'workqueue_work_duration_seconds',
    'How long a pass took',
    ['name'],
    SECONDS,
  );
  const waits = metrics.histogram(
    'workqueue_queue_duration_seconds',
    'How long a key waited for its pass',
    ['name'],
    SECONDS,
  );
  const depth = metrics.gauge('workqueue_depth', 'Keys that wait for a worker', ['name']);
  const delayed = metrics.gauge('workqueue_delayed', 'Keys that come up later', ['name']);
  const active = metrics.gauge('workqueue_active', 'Keys in work', ['name']);
  const oldest = metrics.gauge('workqueue_oldest_seconds', 'Age of the key that has waited longest', [
    'name',
  ]);
  const retries = metrics.counter('workqueue_retries_total', 'Total number of retries handled by workqueue', [
    'name',
  ]);
  const read = (name: string, queue: WorkQueue): void => {
    const stats = queue.stats();
    depth.at(name).set(stats.ready);
    delayed.at(name).set(stats.delayed);
    active.at(name).set(stats.active);
    oldest.at(name).set(stats.oldestMs / 1000);
  };
  return {
    track(controller, queue) {
      queues.set(controller, queue);
      for (const outcome of OUTCOMES) passes.at(controller, outcome).add(0);
      read(controller, queue);
    },
    passFinished(controller, outcome, ms, waitedMs) {
      passes.at(controller, outcome).add(1);
      if (outcome === 'failed') retries.at(controller).add(1);
      durations.at(controller).observe(ms / 1000);
      waits.at(controller).observe(waitedMs / 1000);
    },
    expose() {
      for (const [name, queue] of queues) read(name, queue);
      return metrics.expose();
    },
  };
}

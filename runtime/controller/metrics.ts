import { type Metrics, createMetrics, exponentialBuckets } from '../../base/metrics/index.ts';
import type { ReconcileOutcome } from '../../machines/reconcile/index.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/** Metrics of controllers and their queues. */
export interface ControllerMetrics {
  /**
   * Creates the series of a controller with the value 0. Each `expose` then samples its queue.
   * @param running returns the durations of unfinished reconciles in milliseconds
   */
  track(controller: string, queue: WorkQueue, running: () => readonly number[]): void;
  /**
   * Returns an empty registry for a controller's own series. It replaces the registry of an earlier start, so
   * that a restart does not register a series twice.
   */
  ownOf(controller: string): Metrics;
  /** Counts a reconcile; durations are in milliseconds. */
  reconcileFinished(controller: string, outcome: ReconcileOutcome, ms: number, waitedMs: number): void;
  /** Records whether this process holds the lease. */
  leads(lease: string, isLeading: boolean): void;
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

const OUTCOMES: readonly ReconcileOutcome[] = ['settled', 'requeue', 'failed'];
/**
 * Bucket bounds in seconds. The series named `workqueue_*` have the names, labels, buckets and help texts of
 * Kubernetes, so that existing dashboards and alerts work:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/component-base/metrics/prometheus/workqueue/metrics.go.
 */
const SECONDS = exponentialBuckets(10e-9, 10, 10);

interface Tracked {
  readonly queue: WorkQueue;
  readonly running: () => readonly number[];
}

/** Creates controller metrics in `metrics`, by default in a new registry. */
export function createControllerMetrics(metrics: Metrics = createMetrics()): ControllerMetrics {
  const queues = new Map<string, Tracked>();
  const own = new Map<string, Metrics>();
  /** Number of adds by controller that the counter already includes. */
  const counted = new Map<string, number>();
  const reconciles = metrics.counter('controller_reconciles_total', 'Reconciles by outcome', [
    'controller',
    'outcome',
  ]);
  const durations = metrics.histogram(
    'workqueue_work_duration_seconds',
    'How long in seconds processing an item from workqueue takes.',
    ['name'],
    SECONDS,
  );
  const waits = metrics.histogram(
    'workqueue_queue_duration_seconds',
    'How long in seconds an item stays in workqueue before being requested.',
    ['name'],
    SECONDS,
  );
  const depth = metrics.gauge('workqueue_depth', 'Current depth of workqueue', ['name']);
  const delayed = metrics.gauge('workqueue_delayed', 'Keys with a due time in the future', ['name']);
  const active = metrics.gauge('workqueue_active', 'Keys being reconciled', ['name']);
  const oldest = metrics.gauge('workqueue_oldest_seconds', 'Age of the key that has waited longest', [
    'name',
  ]);
  const retries = metrics.counter('workqueue_retries_total', 'Total number of retries handled by workqueue', [
    'name',
  ]);
  const adds = metrics.counter('workqueue_adds_total', 'Total number of adds handled by workqueue', ['name']);
  const unfinished = metrics.gauge(
    'workqueue_unfinished_work_seconds',
    "How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    ['name'],
  );
  const longest = metrics.gauge(
    'workqueue_longest_running_processor_seconds',
    'How many seconds has the longest running processor for workqueue been running.',
    ['name'],
  );
  const masters = metrics.gauge(
    'leader_election_master_status',
    "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    ['name'],
  );
  const read = (name: string, { queue, running }: Tracked): void => {
    const stats = queue.stats();
    const ages = running();
    unfinished.at(name).set(ages.reduce((sum, ms) => sum + ms, 0) / 1000);
    longest.at(name).set(Math.max(0, ...ages) / 1000);
    adds.at(name).add(stats.added - (counted.get(name) ?? 0));
    counted.set(name, stats.added);
    depth.at(name).set(stats.ready);
    delayed.at(name).set(stats.delayed);
    active.at(name).set(stats.active);
    oldest.at(name).set(stats.oldestMs / 1000);
  };
  return {
    track(controller, queue, running) {
      const tracked = { queue, running };
      queues.set(controller, tracked);
      // The queue of a restarted controller counts its adds from 0.
      counted.set(controller, 0);
      for (const outcome of OUTCOMES) reconciles.at(controller, outcome).add(0);
      retries.at(controller).add(0);
      for (const family of [durations, waits]) family.at(controller);
      read(controller, tracked);
    },
    reconcileFinished(controller, outcome, ms, waitedMs) {
      reconciles.at(controller, outcome).add(1);
      if (outcome === 'failed') retries.at(controller).add(1);
      durations.at(controller).observe(ms / 1000);
      waits.at(controller).observe(waitedMs / 1000);
    },
    ownOf(controller) {
      const empty = createMetrics();
      own.set(controller, empty);
      return empty;
    },
    leads: (lease, isLeading) => masters.at(lease).set(isLeading ? 1 : 0),
    async expose() {
      for (const [name, tracked] of queues) read(name, tracked);
      const { contentType, text } = await metrics.expose();
      const others = await Promise.all([...own.values()].map((each) => each.expose()));
      const texts = [text, ...others.map((each) => each.text)].filter((each) => each !== '');
      return { contentType, text: texts.join('\n') };
    },
  };
}

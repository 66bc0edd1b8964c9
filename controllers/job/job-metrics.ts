import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { PlannedStatus } from '../../machines/job/index.ts';
import { type FinishedReconcile, type Metrics, exponentialBuckets } from '../../runtime/index.ts';

/**
 * Creates a function that compares two statuses of a Job and counts finished Jobs and pods, in the metrics of
 * release 1.24.
 */
export function createJobMetrics(
  metrics: Metrics,
): (before: DeepReadonly<Job>, written: PlannedStatus) => void {
  const labels = ['completion_mode', 'result'];
  const finished = metrics.counter('job_controller_job_finished_total', 'The number of finished job', labels);
  const pods = metrics.counter(
    'job_controller_job_pods_finished_total',
    'The number of finished Pods that are fully tracked',
    labels,
  );
  return ({ spec, status }, { succeeded, failed, condition }) => {
    const mode = spec?.completionMode ?? 'NonIndexed';
    if (condition?.type === 'Complete') finished.at(mode, 'succeeded').add(1);
    if (condition?.type === 'Failed') finished.at(mode, 'failed').add(1);
    const added = { succeeded: succeeded - (status?.succeeded ?? 0), failed: failed - (status?.failed ?? 0) };
    if (added.succeeded > 0) pods.at(mode, 'succeeded').add(added.succeeded);
    if (added.failed > 0) pods.at(mode, 'failed').add(added.failed);
  };
}

/**
 * Main action of a reconcile, with the labels of release 1.24. `reconciling` means that the reconcile only
 * waited for the caches.
 */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

/** Metrics of the reconciles of Jobs, with the names of release 1.24. */
export interface JobSyncMetrics {
  /** Sets the action of the running reconcile. A later call replaces it. */
  acts(key: string, mode: string, action: SyncAction): void;
  /** Counts a finished reconcile, unless its Job does not exist or had already finished. */
  ended(reconcile: FinishedReconcile): void;
}

const LABELS = ['completion_mode', 'result', 'action'];

export function createJobSyncMetrics(metrics: Metrics): JobSyncMetrics {
  const running = new Map<string, { readonly mode: string; readonly action: SyncAction }>();
  const syncs = metrics.counter('job_controller_job_sync_total', 'The number of job syncs', LABELS);
  const seconds = metrics.histogram(
    'job_controller_job_sync_duration_seconds',
    'The time it took to sync a job',
    LABELS,
    exponentialBuckets(0.001, 2, 15),
  );
  return {
    acts: (key, mode, action) => void running.set(key, { mode, action }),
    ended({ key, outcome, ms }) {
      const sync = running.get(key);
      if (sync === undefined) return;
      running.delete(key);
      const labels = [sync.mode, outcome === 'failed' ? 'error' : 'success', sync.action] as const;
      syncs.at(...labels).add(1);
      seconds.at(...labels).observe(ms / 1000);
    },
  };
}

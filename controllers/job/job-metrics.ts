import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { PlannedStatus } from '../../machines/job/plan.ts';
import type { Metrics } from '../../runtime/index.ts';

/** Counts what a written status says that the one before it did not, in the names of release 1.24. */
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

import type { Clock } from '../../../base/clock/index.ts';
import type { Histogram, Metrics } from '../../../base/metrics/index.ts';
import type { Stage } from '../pipeline.ts';

const SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/**
 * Function that returns a stage to place before the named filter. That stage ends the measurement of the
 * previous filter. The name is undefined after the last filter.
 */
export type Milestone = (filter: string | undefined) => Stage;

/**
 * Creates stages that measure how long each filter takes to pass a request on. Rejected requests are not
 * measured
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/endpoints/filterlatency/filterlatency.go).
 * The returned function must be called in the order in which requests pass the filters.
 */
export function createMilestones(metrics: Metrics, clock: Clock): Milestone {
  const seconds = metrics.histogram(
    'apiserver_request_filter_duration_seconds',
    'Request filter latency distribution in seconds, for each filter type',
    ['filter'],
    SECONDS,
  );
  let before: Histogram | undefined;
  return (filter) => {
    const passed = before;
    before = filter === undefined ? undefined : seconds.at(filter);
    return {
      name: filter === undefined ? 'after the last filter' : `before ${filter}`,
      run(context, next) {
        const now = clock.monotonic();
        passed?.observe((now - (context.stageMs ?? now)) / 1000);
        context.stageMs = now;
        return next(context);
      },
    };
  };
}

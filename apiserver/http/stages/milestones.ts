import type { Clock } from '../../../base/clock/index.ts';
import type { Histogram, Metrics } from '../../../base/metrics/index.ts';
import type { Stage } from '../pipeline.ts';

const SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/** A stage that stands before the filter of that name, and ends the time of the one before it; undefined: after the last. */
export type Milestone = (filter: string | undefined) => Stage;

/**
 * Stages between others that tell how long each of those took to let a request pass; one that refuses is not counted
 * (release 1.24, `filterlatency`). To be made in the order in which requests pass them.
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

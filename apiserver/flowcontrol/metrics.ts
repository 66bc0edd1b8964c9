import type { Clock } from '../../base/clock/index.ts';
import type { Count, Family, Gauge, Histogram, Metrics } from '../../base/metrics/index.ts';
import { type SampleHistograms, UsageSamples } from './usage-samples.ts';

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];
const LENGTHS = [0, 10, 25, 50, 100, 250, 500, 1000];
const RATIOS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const WATCHERS = [0, 1, 10, 100, 1000, 10_000];
const WIDTHS = [1, 2, 4, 10];
const SYSTEM = 'in the API Priority and Fairness system';

/** Metrics of one flow schema's requests at one priority level. */
export interface FlowCounts {
  readonly dispatched: Count;
  readonly waiting: Gauge;
  readonly executing: Gauge;
  readonly seats: Gauge;
  readonly queueLength: Histogram;
  readonly width: Histogram;
  readonly watchers: Histogram;
  readonly waited: { readonly executed: Histogram; readonly refused: Histogram };
  readonly served: { readonly regular: Histogram; readonly watch: Histogram };
  readonly notSeated: Count;
  refused(reason: string): Count;
}

/** Metrics of one priority level. */
export interface LevelGauges {
  readonly limit: Gauge;
  readonly progress: Gauge;
  readonly dispatchProgress: Gauge;
  readonly latestStart: Gauge;
  readonly starts: { readonly min: Gauge; readonly max: Gauge };
  readonly discountedStarts: { readonly min: Gauge; readonly max: Gauge };
  readonly epochs: Count;
  readonly waiting: UsageSamples;
  readonly executing: UsageSamples;
  readonly seats: UsageSamples;
}

/** Metrics of API Priority and Fairness, with the names of Kubernetes 1.24. */
export interface FlowControlMetrics {
  /** Returns the metrics of a flow schema at a level. Returns the same object for the same names. */
  flow(level: string, schema: string): FlowCounts;
  level(level: string): LevelGauges;
}

/** Creates the metric families of flow control. */
export function createFlowControlMetrics(metrics: Metrics, clock: Clock): FlowControlMetrics {
  const flows = new Map<string, FlowCounts>();
  const levels = new Map<string, LevelGauges>();
  const flow = flowFamilies(metrics);
  const level = levelFamilies(metrics, clock);
  metrics.beforeExpose(() => {
    const now = clock.monotonic();
    for (const { waiting, executing, seats } of levels.values())
      for (const each of [waiting, executing, seats]) each.catchUp(now);
  });
  return {
    flow: (of, schema) => kept(flows, `${of}/${schema}`, () => flow(of, schema)),
    level: (of) => kept(levels, of, () => level(of)),
  };
}

function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const nameOf = (name: string): string => `apiserver_flowcontrol_${name}`;

function flowFamilies(metrics: Metrics): (level: string, schema: string) => FlowCounts {
  const families = { ...flowCounters(metrics), ...flowGauges(metrics), ...flowHistograms(metrics) };
  const { refused, dispatched, notSeated, waiting, executing, seats } = families;
  const { queueLength, waited, served, watchers, width } = families;
  return (...names) => ({
    dispatched: dispatched.at(...names),
    waiting: waiting.at(...names),
    executing: executing.at(...names),
    seats: seats.at(...names),
    queueLength: queueLength.at(...names),
    width: width.at(...names),
    watchers: watchers.at(...names),
    waited: { executed: waited.at(...names, 'true'), refused: waited.at(...names, 'false') },
    served: { regular: served.at(...names, 'regular'), watch: served.at(...names, 'watch') },
    notSeated: notSeated.at(...names),
    refused: (reason) => refused.at(...names, reason),
  });
}

const FLOW_LABELS = ['priority_level', 'flow_schema'];

function flowCounters(metrics: Metrics) {
  const counter = (name: string, help: string, ...more: readonly string[]): Family<Count> =>
    metrics.counter(nameOf(name), help, [...FLOW_LABELS, ...more]);
  return {
    refused: counter(
      'rejected_requests_total',
      'Number of requests rejected by API Priority and Fairness system',
      'reason',
    ),
    dispatched: counter(
      'dispatched_requests_total',
      'Number of requests released by API Priority and Fairness system for service',
    ),
    notSeated: counter(
      'request_dispatch_no_accommodation_total',
      'Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
    ),
  };
}

function flowGauges(metrics: Metrics) {
  const gauge = (name: string, help: string): Family<Gauge> => metrics.gauge(nameOf(name), help, FLOW_LABELS);
  return {
    waiting: gauge(
      'current_inqueue_requests',
      'Number of requests currently pending in queues of the API Priority and Fairness system',
    ),
    executing: gauge(
      'current_executing_requests',
      `Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage ${SYSTEM}`,
    ),
    seats: gauge(
      'request_concurrency_in_use',
      `Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests ${SYSTEM}`,
    ),
  };
}

function flowHistograms(metrics: Metrics) {
  const histogram = (
    buckets: readonly number[],
    name: string,
    help: string,
    ...more: readonly string[]
  ): Family<Histogram> => metrics.histogram(nameOf(name), help, [...FLOW_LABELS, ...more], buckets);
  return {
    queueLength: histogram(
      LENGTHS,
      'request_queue_length_after_enqueue',
      `Length of queue ${SYSTEM}, as seen by each request after it is enqueued`,
    ),
    waited: histogram(
      SECONDS,
      'request_wait_duration_seconds',
      'Length of time a request spent waiting in its queue',
      'execute',
    ),
    served: histogram(
      SECONDS,
      'request_execution_seconds',
      `Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution ${SYSTEM}`,
      'type',
    ),
    watchers: histogram(
      WATCHERS,
      'watch_count_samples',
      'count of watchers for mutating requests in API Priority and Fairness',
    ),
    width: histogram(
      WIDTHS,
      'work_estimated_seats',
      'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    ),
  };
}

function levelFamilies(metrics: Metrics, clock: Clock): (level: string) => LevelGauges {
  const { limit, progress, dispatchProgress, latestStart, starts, discountedStarts } = levelGauges(metrics);
  const epochs = metrics.counter(
    nameOf('epoch_advance_total'),
    "Number of times the queueset's progress meter jumped backward",
    ['priority_level', 'success'],
  );
  const requests = defineSamples(
    metrics,
    'priority_level_request_count',
    'of the number of requests waiting or in any stage of execution (but only initial stage for WATCHes)',
    'priority_level',
  );
  const seats = defineSamples(
    metrics,
    'priority_level_seat_count',
    'of the number of seats occupied for any stage of execution (but only initial stage for WATCHes)',
    'priority_level',
  );
  return (name) => {
    const now = clock.monotonic();
    return {
      limit: limit.at(name),
      progress: progress.at(name),
      dispatchProgress: dispatchProgress.at(name),
      latestStart: latestStart.at(name),
      starts: { min: starts.at(name, 'min'), max: starts.at(name, 'max') },
      discountedStarts: { min: discountedStarts.at(name, 'min'), max: discountedStarts.at(name, 'max') },
      epochs: epochs.at(name, 'true'),
      waiting: new UsageSamples(requests('waiting', name), now),
      executing: new UsageSamples(requests('executing', name), now),
      seats: new UsageSamples(seats('executing', name), now),
    };
  };
}

function levelGauges(metrics: Metrics) {
  const gauge = (name: string, help: string, ...more: readonly string[]): Family<Gauge> =>
    metrics.gauge(nameOf(name), help, ['priority_level', ...more]);
  return {
    limit: gauge(
      'request_concurrency_limit',
      'Shared concurrency limit in the API Priority and Fairness system',
    ),
    progress: gauge('current_r', 'R(time of last change)'),
    dispatchProgress: gauge('dispatch_r', 'R(time of last dispatch)'),
    latestStart: gauge('latest_s', 'S(most recently dispatched request)'),
    starts: gauge(
      'next_s_bounds',
      'min and max, over queues, of S(oldest waiting request in queue)',
      'bound',
    ),
    discountedStarts: gauge(
      'next_discounted_s_bounds',
      'min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
      'bound',
    ),
  };
}

/**
 * Creates histograms of a quantity's samples, and of its low and high watermarks. Their labels are `phase`
 * and `label`.
 */
export function defineSamples(
  metrics: Metrics,
  name: string,
  what: string,
  label: string,
): (phase: 'waiting' | 'executing', value: string) => SampleHistograms {
  const samples = metrics.histogram(
    nameOf(`${name}_samples`),
    `Periodic observations ${what}`,
    ['phase', label],
    RATIOS,
  );
  const marks = metrics.histogram(
    nameOf(`${name}_watermarks`),
    `Watermarks ${what}`,
    ['mark', 'phase', label],
    RATIOS,
  );
  return (phase, value) => ({
    samples: samples.at(phase, value),
    low: marks.at('low', phase, value),
    high: marks.at('high', phase, value),
  });
}

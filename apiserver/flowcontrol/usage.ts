import type { Clock } from '../../base/clock/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { defineSamples } from './metrics.ts';
import { HighWaterMark, UsageSamples } from './usage-samples.ts';

/** Type of limit against which a request counts. */
export type RequestKind = 'readOnly' | 'mutating';

/** Numbers of executing and waiting requests, for reads and writes separately. */
export interface Usage {
  /** Counts a change of executing requests. Callers that have just read the monotonic clock pass `nowMs`. */
  executing(kind: RequestKind, change: 1 | -1, nowMs?: number): void;
  waiting(kind: RequestKind, change: 1 | -1): void;
  /** Sets the limits of which samples are shares. With limit 0, the default, samples are plain numbers. */
  setLimits(limits: Readonly<Record<RequestKind, number>>): void;
}

type Phase = 'waiting' | 'executing';
const KINDS: readonly RequestKind[] = ['readOnly', 'mutating'];

/** Creates the usage metrics. */
export function createUsage(metrics: Metrics, clock: Clock): Usage {
  const trackers = trackersIn(metrics, clock);
  showMarks(metrics, clock, trackers);
  const change =
    (phase: Phase) =>
    (kind: RequestKind, by: 1 | -1, nowMs = clock.monotonic()) => {
      const { samples, mark } = trackers[phase][kind];
      samples.add(by, nowMs);
      mark.add(by, nowMs);
    };
  return {
    executing: change('executing'),
    waiting: change('waiting'),
    setLimits(limits) {
      for (const kind of KINDS)
        trackers.executing[kind].samples.setLimit(limits[kind] || 1, clock.monotonic());
    },
  };
}

interface Tracker {
  readonly samples: UsageSamples;
  readonly mark: HighWaterMark;
}

type Trackers = { readonly [P in Phase]: { readonly [K in RequestKind]: Tracker } };

function trackersIn(metrics: Metrics, clock: Clock): Trackers {
  const samplesOf = defineSamples(
    metrics,
    'read_vs_write_request_count',
    'of the number of requests waiting or in regular stage of execution',
    'request_kind',
  );
  const now = clock.monotonic();
  const tracker = (phase: Phase, kind: RequestKind): Tracker => ({
    samples: new UsageSamples(samplesOf(phase, kind), now),
    mark: new HighWaterMark(now),
  });
  const byKind = (phase: Phase): Trackers[Phase] => ({
    readOnly: tracker(phase, 'readOnly'),
    mutating: tracker(phase, 'mutating'),
  });
  return { waiting: byKind('waiting'), executing: byKind('executing') };
}

function showMarks(metrics: Metrics, clock: Clock, { waiting, executing }: Trackers): void {
  const inFlight = metrics.gauge(
    'apiserver_current_inflight_requests',
    'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    ['request_kind'],
    { stability: 'STABLE' },
  );
  const inQueue = metrics.gauge(
    'apiserver_current_inqueue_requests',
    'Maximal number of queued requests in this apiserver per request kind in last second.',
    ['request_kind'],
  );
  metrics.beforeExpose(() => {
    const now = clock.monotonic();
    for (const kind of KINDS) {
      inFlight.at(kind).set(executing[kind].mark.at(now));
      inQueue.at(kind).set(waiting[kind].mark.at(now));
      executing[kind].samples.catchUp(now);
      waiting[kind].samples.catchUp(now);
    }
  });
}

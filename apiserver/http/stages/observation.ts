import type { AnyKind, Connection } from '../../../api/kinds/index.ts';
import { type Soon, whenThere } from '../../../base/async/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import type { Count, Histogram, Metrics } from '../../../base/metrics/index.ts';
import type { RequestContext } from '../../request.ts';
import { type Next, type Stage, isLongRunning } from '../pipeline.ts';
import { ObservedSink } from './observed-sink.ts';

/** Histogram buckets in seconds for the durations of requests and of store calls. */
export const REQUEST_SECONDS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** Histogram buckets of response sizes in bytes: 1 kB, multiplied by ten six times, as in upstream. */
const BYTES = Array.from({ length: 7 }, (_, at) => 1000 * 10 ** at);
/** Histogram buckets of event sizes in bytes: 1 KiB, doubled seven times. */
const EVENT_BYTES = Array.from({ length: 8 }, (_, at) => 1024 * 2 ** at);
const WATCHED = ['group', 'version', 'kind'];
const STABLE = { stability: 'STABLE' } as const;
const PLACE = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'];
/** Histogram buckets in seconds of the duration without webhooks, which start at 50 ms. */
const SLO_SECONDS = REQUEST_SECONDS.slice(2);
/** User name of the server's own requests. */
const SERVER = 'system:apiserver';
const LATENCY_LABELS = ['verb', 'dry_run', ...PLACE.slice(1)];

/**
 * Creates the stage that counts every request under upstream's metric names, which dashboards use. At debug
 * level it logs one line for each request.
 */
export function createObservation(options: {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Logger;
}): Stage {
  return new Observation(options.metrics, options.clock, options.log);
}

/** Metrics of requests with the same labels. */
interface Tally {
  readonly verb: string;
  readonly dryRun: string;
  readonly subresource: string;
  readonly scope: string;
  readonly labels: readonly string[];
  readonly seconds: Histogram;
  readonly ownSeconds: Histogram;
  readonly bytes: Histogram;
  readonly byStatus: Map<number, Count>;
}

const NO_KIND = {};

class Observation implements Stage {
  readonly name = 'observation';
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Tallies by kind. The tallies of non-resource paths have the key `NO_KIND`. */
  readonly #tallies = new WeakMap<object, Tally[]>();
  readonly #total;
  readonly #seconds;
  readonly #ownSeconds;
  readonly #sizes;
  readonly #aborts;
  readonly #ofServer;
  readonly #longRunning;
  readonly #watchers;
  readonly #events;
  readonly #eventSizes;

  constructor(metrics: Metrics, clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#total = metrics.counter(
      'apiserver_request_total',
      'Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.',
      [...LATENCY_LABELS, 'code'],
      STABLE,
    );
    this.#seconds = metrics.histogram(
      'apiserver_request_duration_seconds',
      'Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
      LATENCY_LABELS,
      REQUEST_SECONDS,
      STABLE,
    );
    this.#sizes = metrics.histogram(
      'apiserver_response_sizes',
      'Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
      PLACE,
      BYTES,
      STABLE,
    );
    this.#ownSeconds = metrics.histogram(
      'apiserver_request_slo_duration_seconds',
      'Response latency distribution (not counting webhook duration) in seconds for each verb, group, version, resource, subresource, scope and component.',
      PLACE,
      SLO_SECONDS,
    );
    this.#aborts = metrics.counter(
      'apiserver_request_aborts_total',
      'Number of requests which apiserver aborted possibly due to a timeout, for each group, version, verb, resource, subresource and scope',
      PLACE.slice(0, -1),
    );
    this.#ofServer = metrics.counter(
      'apiserver_selfrequest_total',
      'Counter of apiserver self-requests broken out for each verb, API resource and subresource.',
      ['verb', 'resource', 'subresource'],
    );
    const longRunning =
      'Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.';
    this.#longRunning = [
      metrics.gauge('apiserver_longrunning_requests', longRunning, PLACE, STABLE),
      metrics.gauge('apiserver_longrunning_gauge', longRunning, PLACE, { deprecated: '1.23' }),
    ];
    this.#watchers = metrics.gauge(
      'apiserver_registered_watchers',
      'Number of currently registered watchers for a given resources',
      WATCHED,
    );
    this.#events = metrics.counter(
      'apiserver_watch_events_total',
      'Number of events sent in watch clients',
      WATCHED,
    );
    this.#eventSizes = metrics.histogram(
      'apiserver_watch_events_sizes',
      'Watch event size distribution in bytes',
      WATCHED,
      EVENT_BYTES,
    );
  }

  run(context: RequestContext, next: Next): Soon<HttpResponse> {
    const started = this.#clock.monotonic();
    return whenThere(next(context), (response) => this.#answered(context, response, started));
  }

  #answered(context: RequestContext, response: HttpResponse, started: number): HttpResponse {
    const long = isLongRunning(context);
    const { verb } = context.info;
    const elapsed = this.#clock.monotonic() - started;
    const tally = this.#tallyOf(context);
    this.#count(tally, response.status);
    if (!long) observe(tally, context, elapsed);
    if (context.user.username === SERVER) {
      const [verb = '', , , , resource = '', subresource = ''] = tally.labels;
      this.#ofServer.at(verb, resource, subresource).add(1);
    }
    if (verb === 'get' || verb === 'list') tally.bytes.observe(sizeOf(response));
    if (this.#log.debugEnabled) this.#log.debug(lineOf(context, response, elapsed), 'request');
    return long ? this.#opened(context, response, tally, started) : response;
  }

  #tallyOf(context: RequestContext): Tally {
    const { info, kind } = context;
    const dryRun = info.query.size === 0 || info.query.get('dryRun') !== 'All' ? '' : 'All';
    const subresource = subresourceOf(context);
    const verb = verbOf(context);
    const scope = scopeOf(context);
    let ofKind = this.#tallies.get(kind ?? NO_KIND);
    if (ofKind === undefined) this.#tallies.set(kind ?? NO_KIND, (ofKind = []));
    // Linear search: each kind has few tallies, and a joined key would be a string to hash for every request.
    for (const known of ofKind)
      if (
        known.verb === verb &&
        known.scope === scope &&
        known.subresource === subresource &&
        known.dryRun === dryRun
      )
        return known;
    // Unserved resources share empty labels: strings from a client must not create label values.
    const [group, version, resource] =
      kind === undefined ? ['', '', ''] : [info.group, info.version, info.resource];
    const labels = [verb, dryRun, group, version, resource, subresource, scope, 'apiserver'];
    const tally: Tally = {
      verb,
      dryRun,
      subresource,
      scope,
      labels,
      seconds: this.#seconds.at(...labels),
      ownSeconds: this.#ownSeconds.at(verb, ...labels.slice(2)),
      bytes: this.#sizes.at(verb, ...labels.slice(2)),
      byStatus: new Map<number, Count>(),
    };
    ofKind.push(tally);
    return tally;
  }

  #count(tally: Tally, status: number): void {
    let count = tally.byStatus.get(status);
    if (count === undefined) {
      count = this.#total.at(...tally.labels, String(status));
      tally.byStatus.set(status, count);
    }
    count.add(1);
  }

  /** Returns a function that counts the events of a watch, which writes each event with one call. */
  #countWrites(watched: readonly string[]): (bytes: number) => void {
    const [count, sizes] = [this.#events.at(...watched), this.#eventSizes.at(...watched)];
    return (bytes) => {
      count.add(1);
      sizes.observe(bytes);
    };
  }

  /**
   * Counts a stream while it is open. The time until its close is the duration of its request. A forced close
   * is counted as an abort.
   */
  #opened(context: RequestContext, response: HttpResponse, tally: Tally, started: number): HttpResponse {
    const { body } = response;
    if (typeof body !== 'function') {
      observe(tally, context, this.#clock.monotonic() - started);
      return response;
    }
    const { info, kind } = context;
    const watched = [info.group, info.version, kind?.kind ?? ''];
    const open = [
      ...this.#longRunning.map((gauge) =>
        gauge.at(
          verbOf(context),
          info.group,
          info.version,
          info.resource,
          subresourceOf(context),
          scopeOf(context),
          'apiserver',
        ),
      ),
      ...(info.verb === 'watch' ? [this.#watchers.at(...watched)] : []),
    ];
    return {
      ...response,
      body: (sink) => {
        for (const gauge of open) gauge.add(1);
        sink.onClose(() => {
          for (const gauge of open) gauge.add(-1);
          observe(tally, context, this.#clock.monotonic() - started);
        });
        const [verb = '', , ...place] = tally.labels;
        const cut = (): void => this.#aborts.at(verb, ...place.slice(0, -1)).add(1);
        body(new ObservedSink(sink, cut, info.verb === 'watch' ? this.#countWrites(watched) : undefined));
      },
    };
  }
}

function observe({ seconds, ownSeconds }: Tally, { waitedMs = 0 }: RequestContext, elapsedMs: number): void {
  seconds.observe(elapsedMs / 1000);
  ownSeconds.observe((elapsedMs - waitedMs) / 1000);
}

/** Returns the size of a complete response before compression in bytes, or 0 for a stream. */
function sizeOf({ body }: HttpResponse): number {
  if (body instanceof Uint8Array) return body.length;
  if (typeof body === 'function') return 0;
  let size = 0;
  for (const chunk of body) size += chunk.length;
  return size;
}

const lineOf = (context: RequestContext, response: HttpResponse, elapsedMs: number) => ({
  id: context.id,
  verb: context.info.verb,
  path: context.info.path,
  status: response.status,
  user: context.user.username,
  ms: Math.round(elapsedMs),
});

/** Returns the `subresource` label. For known non-resource paths it is the path itself, as in upstream. */
function subresourceOf({ kind, info }: RequestContext): string {
  if (kind === undefined) return PATHS.has(info.path) ? info.path : '';
  const isKnown =
    Object.hasOwn(kind.subresources, info.subresource) || connectionOf(kind, info.subresource) !== undefined;
  return info.subresource !== '' && isKnown ? info.subresource : '';
}

const connectionOf = ({ connections = {} }: AnyKind, subresource: string): Connection | undefined =>
  Object.hasOwn(connections, subresource) ? connections[subresource] : undefined;

const PATHS = new Set([
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
]);
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** Returns the `verb` label as in upstream's metrics: `GET`, `LIST`, `WATCH`, `POST`, …. */
function verbOf({ info, kind }: RequestContext): string {
  const connection = kind && info.subresource !== '' ? connectionOf(kind, info.subresource) : undefined;
  if (connection && !connection.reads) return 'CONNECT';
  switch (info.verb) {
    case 'list':
      return 'LIST';
    case 'watch':
      return 'WATCH';
    case 'deletecollection':
      return 'DELETECOLLECTION';
    default:
      return METHODS.has(info.httpMethod) ? info.httpMethod : 'other';
  }
}

/** Returns the `scope` label. Upstream counts a create as `resource`, although its path has no name. */
function scopeOf({ info }: RequestContext): string {
  if (!info.isResourceRequest) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace === '' ? 'cluster' : 'namespace';
}

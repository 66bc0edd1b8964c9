import type { Enabled } from '../../api/features/features.ts';
import type { AnyKind } from '../../api/kinds/index.ts';
import type { RequestContext, RequestInfo } from '../request.ts';

/** Expected cost of a request. */
export interface WorkEstimate {
  /** Number of seats while the request executes. */
  readonly initialSeats: number;
  /**
   * Number of seats for `additionalLatencyMs` after the request, while watchers receive a write. The client
   * does not wait for this stage.
   */
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
}

/** Assumed duration in seconds of a request before any duration was measured. */
export const SERVICE_SECONDS = 0.003;

const MAX_SEATS = 10;
const OBJECTS_PER_SEAT = 100;
const WATCHES_PER_SEAT = 10;
const EVENT_MS = 5;

const seats = (initialSeats: number): WorkEstimate => ({
  initialSeats,
  finalSeats: 0,
  additionalLatencyMs: 0,
});

/** Shared estimates by number of seats. */
const WIDTHS = Array.from({ length: MAX_SEATS + 1 }, (_, width) => seats(width));
/** Estimate of one seat without additional latency. */
export const ONE_SEAT: WorkEstimate = WIDTHS[1] ?? seats(1);
const WIDEST: WorkEstimate = WIDTHS[MAX_SEATS] ?? seats(MAX_SEATS);

/** Sources of the counts on which estimates depend. */
export interface WorkEstimatorOptions {
  /** Returns the number of stored objects of a kind. */
  readonly countOf: (kind: AnyKind) => number;
  /** Returns the number of watches that a write may concern. */
  readonly watchersOf: (info: RequestInfo) => number;
  readonly enabled: Enabled;
}

/**
 * Function that estimates the cost of a request. `observe` receives the number of watches that a write
 * concerns.
 */
export type WorkEstimator = (
  context: Pick<RequestContext, 'info' | 'kind'>,
  observe: (watchers: number) => void,
) => WorkEstimate;

/**
 * Creates an estimator with upstream's rules
 * (https://github.com/kubernetes/kubernetes/tree/v1.24.0/staging/src/k8s.io/apiserver/pkg/util/flowcontrol/request).
 * Lists and writes may take several seats; every other request takes one seat.
 */
export function createWorkEstimator(options: WorkEstimatorOptions): WorkEstimator {
  return ({ info, kind }, observe) => {
    switch (info.verb) {
      case 'list':
        // A list request that is forwarded to another server costs this server little.
        return kind === undefined ? ONE_SEAT : estimateList(info, options.countOf(kind), options.enabled);
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
        return info.isResourceRequest ? estimateWrite(info, options.watchersOf, observe) : ONE_SEAT;
      default:
        return ONE_SEAT;
    }
  };
}

/**
 * Estimates a list request. A list from the cache examines all stored objects. A list from the store examines
 * twice as many objects as it returns.
 */
function estimateList({ query }: RequestInfo, stored: number, enabled: Enabled): WorkEstimate {
  const requested = query.get('limit') ?? '';
  if (requested !== '' && !/^[-+]?\d{1,18}$/.test(requested)) return WIDEST;
  const pages = enabled('APIListChunking');
  const limit = pages && Number(requested) > 0 ? Number(requested) : 0;
  const returned = limit > 0 ? Math.min(limit, stored) : stored;
  const selects = (query.get('fieldSelector') ?? '') !== '' || (query.get('labelSelector') ?? '') !== '';
  let examined = 2 * returned;
  if (!readsStore(query, pages, limit)) examined = stored;
  else if (selects) examined = stored + returned;
  const width = Math.min(MAX_SEATS, Math.max(1, Math.ceil(examined / OBJECTS_PER_SEAT)));
  return WIDTHS[width] ?? WIDEST;
}

function readsStore(query: URLSearchParams, pages: boolean, limit: number): boolean {
  const version = query.get('resourceVersion') ?? '';
  return (
    version === '' ||
    (pages && (query.get('continue') ?? '') !== '') ||
    (limit > 0 && version !== '0') ||
    query.get('resourceVersionMatch') === 'Exact'
  );
}

/**
 * Estimates a write request. Each ten watches cost one seat for 5 ms after the write. If that exceeds the
 * seat limit, the latency grows instead.
 */
function estimateWrite(
  info: RequestInfo,
  watchersOf: (info: RequestInfo) => number,
  observe: (watchers: number) => void,
): WorkEstimate {
  // The creation of a token causes no watch event.
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return ONE_SEAT;
  const watchers = watchersOf(info);
  observe(watchers);
  if (watchers < WATCHES_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(watchers / WATCHES_PER_SEAT);
  return narrowed({ initialSeats: 1, finalSeats: wanted, additionalLatencyMs: EVENT_MS }, MAX_SEATS);
}

/** Returns the same amount of work with at most `limit` final seats. */
export function narrowed(work: WorkEstimate, limit: number): WorkEstimate {
  const { finalSeats, additionalLatencyMs } = work;
  if (finalSeats <= limit) return work;
  return { ...work, finalSeats: limit, additionalLatencyMs: (finalSeats * additionalLatencyMs) / limit };
}

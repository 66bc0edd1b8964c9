import type { Enabled } from '../../api/features/features.ts';
import type { AnyKind } from '../../api/kinds/index.ts';
import type { RequestContext, RequestInfo } from '../request.ts';

/** What a request is expected to cost. */
export interface WorkEstimate {
  /** Seats while it is served. */
  readonly initialSeats: number;
  /** Seats afterwards, for `additionalLatencyMs`, which the client does not notice: watchers are told of a write. */
  readonly finalSeats: number;
  readonly additionalLatencyMs: number;
}

/** How long a request is taken to be served before it has been. */
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

/** Each width once: estimates are shared. */
const WIDTHS = Array.from({ length: MAX_SEATS + 1 }, (_, width) => seats(width));
export const ONE_SEAT: WorkEstimate = WIDTHS[1] ?? seats(1);
const WIDEST: WorkEstimate = WIDTHS[MAX_SEATS] ?? seats(MAX_SEATS);

export interface WorkEstimatorOptions {
  /** How many objects of a kind there are. */
  readonly countOf: (kind: AnyKind) => number;
  /** How many watches a write may concern. */
  readonly watchersOf: (info: RequestInfo) => number;
  readonly enabled: Enabled;
}

/** Estimates requests; `observe` is told how many watchers a write has. */
export type WorkEstimator = (
  context: Pick<RequestContext, 'info' | 'kind'>,
  observe: (watchers: number) => void,
) => WorkEstimate;

/** Release 1.24, `pkg/util/flowcontrol/request`: lists and writes are wide, all else takes one seat. */
export function createWorkEstimator(options: WorkEstimatorOptions): WorkEstimator {
  return ({ info, kind }, observe) => {
    switch (info.verb) {
      case 'list':
        // What another server lists costs this one little.
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

/** A list from the cache looks at all objects; one from the store at as many as it answers, twice. */
function estimateList({ query }: RequestInfo, stored: number, enabled: Enabled): WorkEstimate {
  const asked = query.get('limit') ?? '';
  if (asked !== '' && !/^[-+]?\d{1,18}$/.test(asked)) return WIDEST;
  const pages = enabled('APIListChunking');
  const limit = pages && Number(asked) > 0 ? Number(asked) : 0;
  const answered = limit > 0 ? Math.min(limit, stored) : stored;
  const selects = (query.get('fieldSelector') ?? '') !== '' || (query.get('labelSelector') ?? '') !== '';
  let looked = 2 * answered;
  if (!readsStore(query, pages, limit)) looked = stored;
  else if (selects) looked = stored + answered;
  const width = Math.min(MAX_SEATS, Math.max(1, Math.ceil(looked / OBJECTS_PER_SEAT)));
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

/** Ten watchers take a seat for 5 ms once the write is done; more seats than the most there may be take longer instead. */
function estimateWrite(
  info: RequestInfo,
  watchersOf: (info: RequestInfo) => number,
  observe: (watchers: number) => void,
): WorkEstimate {
  // No watcher hears of a token.
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return ONE_SEAT;
  const watchers = watchersOf(info);
  observe(watchers);
  if (watchers < WATCHES_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(watchers / WATCHES_PER_SEAT);
  return narrowed({ initialSeats: 1, finalSeats: wanted, additionalLatencyMs: EVENT_MS }, MAX_SEATS);
}

/** The same work with a last part of at most `limit` seats. */
export function narrowed(work: WorkEstimate, limit: number): WorkEstimate {
  const { finalSeats, additionalLatencyMs } = work;
  if (finalSeats <= limit) return work;
  return { ...work, finalSeats: limit, additionalLatencyMs: (finalSeats * additionalLatencyMs) / limit };
}

import type { Clock } from '../../base/clock/index.ts';
import type { ServerFacts } from '../model/view.ts';
import { type Sample, parseExposition } from './exposition.ts';

/** Sources of the server's facts. */
export interface ServerFactsOptions {
  readonly clock: Clock;
  /** Returns the API server's metrics in the Prometheus text format. */
  readonly expose: () => Promise<{ readonly text: string }>;
  /** Returns the last revision of the API server's store. */
  readonly revision: () => Promise<string>;
}

const TOTAL = 'apiserver_request_total';
const BUCKET = 'apiserver_request_duration_seconds_bucket';
const WATCHERS = 'apiserver_registered_watchers';
const WANTED: ReadonlySet<string> = new Set([TOTAL, BUCKET, WATCHERS]);
/** Minimum time in milliseconds between two readings of the metrics, for any number of clients. */
const READ_MS = 2_000;

interface Reading {
  readonly atMs: number;
  readonly requests: number;
  readonly errors: number;
  /** Cumulative number of requests by upper bound of their duration, in seconds. */
  readonly buckets: ReadonlyMap<number, number>;
  readonly watchers: number;
  readonly revision: string;
}

/** Creates a source of the API server's current rates, computed from the last two readings of its metrics. */
export function createServerFacts(options: ServerFactsOptions): () => Promise<ServerFacts> {
  const { clock } = options;
  let readings: readonly [before: Reading | undefined, last: Reading] | undefined;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    const next = await readingOf(options);
    readings = [readings?.[1], next];
  };
  return async () => {
    if (readings === undefined || clock.monotonic() - readings[1].atMs >= READ_MS)
      await (reading ??= read().finally(() => (reading = undefined)));
    return readings === undefined ? NOTHING : between(...readings);
  };
}

const NOTHING: ServerFacts = {
  requestsPerSecond: 0,
  errorsPerSecond: 0,
  p50Ms: 0,
  p99Ms: 0,
  watchers: 0,
  revision: '',
};

async function readingOf({ clock, expose, revision }: ServerFactsOptions): Promise<Reading> {
  const samples = parseExposition((await expose()).text, WANTED);
  const sum = (of: (sample: Sample) => boolean): number =>
    samples.filter(of).reduce((total, { value }) => total + value, 0);
  const buckets = new Map<number, number>();
  for (const { name, labels, value } of samples) {
    if (name !== BUCKET) continue;
    const bound = Number(labels['le']?.replace('+Inf', 'Infinity'));
    buckets.set(bound, (buckets.get(bound) ?? 0) + value);
  }
  return {
    atMs: clock.monotonic(),
    requests: sum(({ name }) => name === TOTAL),
    errors: sum(({ name, labels }) => name === TOTAL && labels['code']?.startsWith('5') === true),
    buckets,
    watchers: sum(({ name }) => name === WATCHERS),
    revision: await revision(),
  };
}

function between(before: Reading | undefined, last: Reading): ServerFacts {
  const seconds = before === undefined ? 0 : (last.atMs - before.atMs) / 1_000;
  const rate = (of: (reading: Reading) => number): number =>
    before === undefined || seconds <= 0 ? 0 : Math.max(0, of(last) - of(before)) / seconds;
  const quantile = (share: number): number => quantileMs(share, before, last);
  return {
    requestsPerSecond: rate(({ requests }) => requests),
    errorsPerSecond: rate(({ errors }) => errors),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    watchers: last.watchers,
    revision: last.revision,
  };
}

/**
 * Returns an upper bound of a quantile in milliseconds: the lowest bucket bound below which at least `share`
 * of the requests since `before` finished. The result is at most the highest finite bound.
 */
function quantileMs(share: number, before: Reading | undefined, last: Reading): number {
  const bounds = [...last.buckets.keys()].sort((a, b) => a - b);
  const since = (bound: number): number => (last.buckets.get(bound) ?? 0) - (before?.buckets.get(bound) ?? 0);
  const all = since(Number.POSITIVE_INFINITY);
  if (all <= 0) return 0;
  const found = bounds.find((bound) => since(bound) >= share * all);
  return (found === undefined || found === Number.POSITIVE_INFINITY ? (bounds.at(-2) ?? 0) : found) * 1_000;
}

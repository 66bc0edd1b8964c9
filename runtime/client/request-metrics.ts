import type { Metrics } from '../../base/metrics/index.ts';
import type { RequestObservation } from './sender.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/**
 * Returns an `observe` function that counts a client's requests in the series of client-go.
 * @param host label value that identifies the server
 */
export function createRequestMetrics(
  metrics: Metrics,
  host: string,
): (observation: RequestObservation) => void {
  const requests = metrics.counter(
    'rest_client_requests_total',
    'Number of HTTP requests, partitioned by status code, method, and host.',
    ['code', 'method', 'host'],
  );
  const seconds = metrics.histogram(
    'rest_client_request_duration_seconds',
    'Request latency in seconds. Broken down by verb, and host.',
    ['verb', 'host'],
    SECONDS,
  );
  const turns = metrics.histogram(
    'rest_client_rate_limiter_duration_seconds',
    'Client side rate limiter latency in seconds. Broken down by verb, and host.',
    ['verb', 'host'],
    SECONDS,
  );
  return ({ method, code, ms, waitedMs }) => {
    // `code` is a `ClientError` code if the request had no response.
    requests.at(/^\d{3}$/.test(code) ? code : '<error>', method, host).add(1);
    seconds.at(method, host).observe(ms / 1000);
    turns.at(method, host).observe(waitedMs / 1000);
  };
}

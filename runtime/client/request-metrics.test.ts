import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';

describe('createRequestMetrics', () => {
  it('counts responses by status and requests without a response as an error', async () => {
    const metrics = createMetrics();
    const observe = createRequestMetrics(metrics, '127.0.0.1:6443');
    observe({ method: 'GET', path: '/api', code: '200', ms: 30, waitedMs: 0 });
    observe({ method: 'GET', path: '/api', code: '200', ms: 3, waitedMs: 700 });
    observe({ method: 'PUT', path: '/api/v1/nodes/a', code: 'ERR_CLIENT_CONNECTION', ms: 1, waitedMs: 0 });
    const { text } = await metrics.expose();
    expect(text).toContain('rest_client_requests_total{code="200",host="127.0.0.1:6443",method="GET"} 2');
    expect(text).toContain('{code="<error>",host="127.0.0.1:6443",method="PUT"} 1');
    expect(text).toContain(
      'rest_client_request_duration_seconds_bucket{host="127.0.0.1:6443",verb="GET",le="0.025"} 1',
    );
    expect(text).toContain(
      'rest_client_rate_limiter_duration_seconds_sum{host="127.0.0.1:6443",verb="GET"} 0.7',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { createMetrics, exponentialBuckets } from './metrics.ts';

describe('metrics', () => {
  it('are exposed in the Prometheus text format as counters, gauges and histograms', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter('requests_total', 'requests', ['verb', 'code']);
    counter.at('GET', '200').add(1);
    counter.at('GET', '200').add(2);
    counter.at('LIST', '410').add(1);
    metrics.gauge('watchers', 'open watches', ['kind']).at('Pod').set(7);
    metrics.histogram('seconds', 'latency', ['verb'], [0.1, 1]).at('GET').observe(0.5);
    const { contentType, text } = await metrics.expose();
    expect(contentType).toContain('text/plain');
    expect(text).toContain(
      'requests_total{code="200",verb="GET"} 3\nrequests_total{code="410",verb="LIST"} 1\n',
    );
    expect(text).toContain('watchers{kind="Pod"} 7');
    expect(text).toContain('seconds_bucket{verb="GET",le="0.1"} 0');
    expect(text).toContain('seconds_bucket{verb="GET",le="1"} 1');
  });

  it('are described in the order of their names, without values', () => {
    const metrics = createMetrics({ release: '1.24' });
    metrics.summary('b_seconds', 'latency', ['verb'], [0.5], { stability: 'STABLE' }).at('GET').observe(1);
    metrics.counter('a_total', 'requests');
    metrics.gauge('hidden', 'old', [], { deprecated: '1.22' });
    expect(metrics.describe()).toEqual([
      { name: 'a_total', help: '[ALPHA] requests', type: 'counter', labels: [] },
      { name: 'b_seconds', help: '[STABLE] latency', type: 'summary', labels: ['verb'] },
    ]);
  });

  it('have bucket bounds formatted as Go does', async () => {
    const metrics = createMetrics();
    const bounds = [...exponentialBuckets(10e-9, 10, 6), 0.001, 2.5, 100_000, 1e6, 1.5e9];
    metrics.histogram('seconds', 'latency', [], bounds).at().observe(7);
    const { text } = await metrics.expose();
    expect([...text.matchAll(/le="([^"]*)"/g)].map(([, bound]) => bound)).toEqual([
      '1e-08',
      '1e-07',
      '1e-06',
      '9.999999999999999e-06',
      '9.999999999999999e-05',
      '0.001',
      '0.001',
      '2.5',
      '100000',
      '1e+06',
      '1.5e+09',
      '+Inf',
    ]);
  });

  it('have escaped label values', async () => {
    const metrics = createMetrics();
    metrics.counter('c', 'help\nwith a line', ['path']).at('a"b\\c\nd').add(1);
    expect((await metrics.expose()).text).toBe(
      '# HELP c [ALPHA] help\\nwith a line\n# TYPE c counter\nc{path="a\\"b\\\\c\\nd"} 1\n',
    );
  });

  it('are exposed with their stability', async () => {
    const metrics = createMetrics();
    metrics.counter('kept', 'Requests.', [], { stability: 'STABLE' });
    metrics.gauge('going', 'Requests.', [], { stability: 'STABLE', deprecated: '1.23' });
    const { text } = await metrics.expose();
    expect(text).toContain('# HELP kept [STABLE] Requests.');
    expect(text).toContain('# HELP going [STABLE] (Deprecated since 1.23.0) Requests.');
  });

  it.each([
    ['STABLE', '1.24', false, true],
    ['STABLE', '1.22', false, true],
    ['STABLE', '1.21', false, false],
    ['STABLE', '1.21', true, true],
    ['STABLE', '1.20', true, false],
    ['ALPHA', '1.24', false, true],
    ['ALPHA', '1.23', false, false],
    ['ALPHA', '1.23', true, true],
    ['ALPHA', '1.22', true, false],
  ] as const)(
    'with stability %s and deprecated since %s are visible in release 1.24, with showHidden %s: %s',
    async (stability, deprecated, showHidden, shown) => {
      const metrics = createMetrics({ release: '1.24', showHidden });
      metrics.counter('old', 'Old.', [], { stability, deprecated }).at().add(1);
      expect((await metrics.expose()).text.includes('old 1')).toBe(shown);
    },
  );

  it('are sampled at each exposition', async () => {
    const metrics = createMetrics();
    const gauge = metrics.gauge('looked', 'Looks.').at();
    metrics.beforeExpose(() => gauge.add(1));
    await metrics.expose();
    expect((await metrics.expose()).text).toContain('looked 2');
  });

  it('are exposed as quantiles of observations, or NaN without observations', async () => {
    const metrics = createMetrics();
    const ranks = metrics.summary('took', 'How long.', ['what'], [0.5, 0.99]).at('a');
    expect((await metrics.expose()).text).toContain('took{what="a",quantile="0.5"} NaN');
    for (let value = 1; value <= 100; value++) ranks.observe(value);
    const { text } = await metrics.expose();
    expect(text).toContain('# TYPE took summary');
    expect(text).toContain('took{what="a",quantile="0.5"} 50\n');
    expect(text).toContain('took{what="a",quantile="0.99"} 99\n');
    expect(text).toContain('took_sum{what="a"} 5050\ntook_count{what="a"} 100\n');
  });

  it('are not shared between two registries', async () => {
    const first = createMetrics();
    const second = createMetrics();
    first.counter('hits', 'hits').at().add(1);
    second.counter('hits', 'hits').at().add(5);
    expect((await first.expose()).text).toContain('hits 1');
    expect((await second.expose()).text).toContain('hits 5');
  });
});

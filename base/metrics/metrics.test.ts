import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

describe('metrics', () => {
  it('exposes counters, gauges and histograms in the Prometheus text format', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter('requests_total', 'requests', ['verb', 'code']);
    counter.at('GET', '200').add(1);
    counter.at('GET', '200').add(2);
    counter.at('LIST', '410').add(1);
    metrics.gauge('watchers', 'open watches', ['kind']).at('Pod').set(7);
    metrics.histogram('seconds', 'latency', ['verb'], [0.1, 1]).at('GET').observe(0.5);
    const { contentType, text } = await metrics.expose();
    expect(contentType).toContain('text/plain');
    expect(text).toContain('requests_total{verb="GET",code="200"} 3');
    expect(text).toContain('requests_total{verb="LIST",code="410"} 1');
    expect(text).toContain('watchers{kind="Pod"} 7');
    expect(text).toContain('seconds_bucket{le="0.1",verb="GET"} 0');
    expect(text).toContain('seconds_bucket{le="1",verb="GET"} 1');
  });

  it('labels never break out of their quotes', async () => {
    const metrics = createMetrics();
    metrics.counter('c', 'help\nwith a line', ['path']).at('a"b\\c\nd').add(1);
    expect((await metrics.expose()).text).toBe(
      '# HELP c help\\nwith a line\n# TYPE c counter\nc{path="a\\"b\\\\c\\nd"} 1\n',
    );
  });

  it('never shares a counter between two registers', async () => {
    const first = createMetrics();
    const second = createMetrics();
    first.counter('hits', 'hits').at().add(1);
    second.counter('hits', 'hits').at().add(5);
    expect((await first.expose()).text).toContain('hits 1');
    expect((await second.expose()).text).toContain('hits 5');
  });
});

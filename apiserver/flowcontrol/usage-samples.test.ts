import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { defineSamples } from './metrics.ts';
import { HighWaterMark, UsageSamples } from './usage-samples.ts';

describe('usage samples', () => {
  const start = () => {
    const metrics = createMetrics();
    const samplesOf = defineSamples(metrics, 'thing', 'of things', 'kind');
    const samples = new UsageSamples(samplesOf('executing', 'a'), 0, 4);
    const valueOf = async (name: string, label = ''): Promise<number> => {
      const pattern = new RegExp(`^apiserver_flowcontrol_thing_${name}\\{.*${label}`);
      const { text } = await metrics.expose();
      const line = text.split('\n').find((each) => pattern.test(each));
      return Number(line?.split(' ')[1]);
    };
    return { samples, valueOf };
  };

  it('record the value at the end of each millisecond as a share of the limit', async () => {
    const { samples, valueOf } = start();
    samples.add(2, 0.5);
    samples.add(2, 10.2);
    samples.catchUp(15);
    expect(await valueOf('samples_count')).toBe(15);
    expect(await valueOf('samples_sum')).toBeCloseTo(10 * 0.5 + 5);
    expect(await valueOf('samples_bucket', 'le="0.5"')).toBe(10);
  });

  it('record the extremes within each millisecond', async () => {
    const { samples, valueOf } = start();
    samples.add(4, 0.1);
    samples.add(-4, 0.2);
    samples.catchUp(2);
    expect(await valueOf('samples_sum')).toBe(0);
    expect(await valueOf('watermarks_sum', 'mark="high"')).toBe(1);
    expect(await valueOf('watermarks_sum', 'mark="low"')).toBe(0);
    expect(await valueOf('watermarks_count', 'mark="high"')).toBe(2);
  });

  it('include every millisecond of any interval without changes', async () => {
    const { samples, valueOf } = start();
    samples.add(1, 0);
    samples.catchUp(86_400_000);
    expect(await valueOf('samples_count')).toBe(86_400_000);
  });
});

describe('high-water mark', () => {
  it('is the maximum within the last whole second', () => {
    const mark = new HighWaterMark(0);
    mark.add(1, 100);
    mark.add(1, 200);
    mark.add(-1, 300);
    expect(mark.at(900)).toBe(0);
    expect(mark.at(1_000)).toBe(2);
    expect(mark.at(5_000)).toBe(1);
  });
});
